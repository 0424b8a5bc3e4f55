import type { AgentProgress, NamedToolResult } from '../agent';
import { totalSpent } from '../budget';
import { canonicalJson } from '../kernel';
import { artifactsSlice, type FileRecord, filesSlice, recordsOf, type Session, toolsUsed } from '../session';
import type { SpilledText } from '../store';
import { failedOutcome, failedResult, type SessionEvent, type ToolCall, type ToolResult } from '../tool';
import type { DelegationResult, DelegationStart, NamedArtifact, ReadyDelegation, RefusedDelegation } from './contract';

/** Builds the tool result of a delegation that was refused. The model sees the reason and the remedy. */
export function toolResultForRefusal({ id }: ToolCall, { message }: RefusedDelegation): ToolResult {
  return failedResult(id, message);
}

/**
 * The tool result of a delegation. `delivery` holds its artifacts until the whole turn is done and they get their
 * names.
 */
export interface DeliveredToolResult extends ToolResult {
  readonly delivery?: { readonly prepared: ReadyDelegation; readonly result: DelegationResult };
}

/** A tool call's result with the name of its tool and, for a delegation, what it delivered. */
export type NamedDelivery = NamedToolResult & DeliveredToolResult;

/** Builds the tool result of a completed delegation. It is an error if expected artifacts are missing. */
export function toolResultForSuccess(
  call: ToolCall,
  prepared: ReadyDelegation,
  result: DelegationResult,
): DeliveredToolResult {
  const complete = result.missingArtifacts.length === 0;
  return {
    outcome: { callId: call.id, isError: !complete, content: result.summary },
    changes: [],
    events: endedEvents(prepared, complete ? 'done' : 'failed'),
    delivery: { prepared, result },
  };
}

/**
 * Adds the artifacts of a turn's delegations to the parent's session. An artifact keeps its name unless another
 * artifact has it, even one from the same turn. Then the delegation id is prefixed.
 */
export function addDelegationArtifacts<E extends DeliveredToolResult>(session: Session, executions: readonly E[]): E[] {
  const taken = new Set(recordsOf(session, artifactsSlice).map(({ name }) => name));
  return executions.map((execution) => {
    if (execution.delivery === undefined) return execution;
    const { prepared, result } = execution.delivery;
    const artifacts = result.artifacts.map(({ name, ref }) => ({
      name: taken.has(name) ? `${prepared.delegationId}/${name}` : name,
      ref,
    }));
    for (const { name } of artifacts) taken.add(name);
    const left = [...artifacts.map(({ name }) => name), ...result.changedFiles];
    return {
      ...execution,
      outcome: { ...execution.outcome, addendum: addendum(prepared, result, left) },
      events: [
        ...artifacts.map(({ name, ref }) => artifactEvent(name, ref, prepared.delegationId)),
        ...execution.events,
      ],
    };
  });
}

interface FailureCause {
  readonly type: string | undefined;
  readonly message: string;
}

/** Describes why a delegation failed, in one line. */
export function formatFailure({ type = 'Delegation.Failed', message }: FailureCause): string {
  return `${type}: ${message}`;
}

/** Builds the tool result of a delegation that failed. */
export function toolResultForFailure(call: ToolCall, prepared: ReadyDelegation, cause: FailureCause): ToolResult {
  const why = formatFailure(cause).slice(0, 500);
  const message = `DispatchSubagentError: the subagent run was aborted (${why}). [delegation_id ${prepared.delegationId}]`;
  return { outcome: failedOutcome(call.id, message), changes: [], events: endedEvents(prepared, 'failed') };
}

function endedEvents({ delegationId, planStepId }: ReadyDelegation, status: 'done' | 'failed'): SessionEvent[] {
  return [
    { type: 'delegationEnded', value: { delegationId, status } },
    ...(planStepId === null ? [] : [{ type: 'planStepChanged', value: { id: planStepId, status } }]),
  ];
}

function artifactEvent(name: string, ref: NamedArtifact['ref'], by: string): SessionEvent {
  return { type: 'artifactWritten', value: { name, ref: { ...ref }, by } };
}

const shownNames = 40;

/** Renders the structured part of the result, which follows the summary, in the model's spelling. */
function addendum(
  { promptNs, promptKey }: ReadyDelegation,
  { toolsUsed, missingArtifacts, moreArtifacts = 0 }: DelegationResult,
  left: readonly string[],
): string {
  const hidden = Math.max(0, left.length - shownNames);
  const more = hidden > 0 ? [`… and ${hidden} more`] : [];
  const payload = {
    prompt_ns: promptNs,
    prompt_key: promptKey,
    artifacts: [...left.slice(0, shownNames), ...more],
    tools_used: toolsUsed,
  };
  const missing = missingArtifacts.length === 0 ? '' : `\n\nExpected but not written: ${missingArtifacts.join(', ')}.`;
  const excess =
    moreArtifacts === 0 ? '' : `\n\n${moreArtifacts} more artifacts were written but could not be returned.`;
  return `${missing}${excess}\n\n${canonicalJson(payload)}`;
}

const maxChangedFiles = 50;
/** Maximum artifacts in a result, so that the whole result fits into a payload. */
const maxArtifacts = 100;

/**
 * Builds the result of a delegation from the difference between its session and the parent's, from which it started.
 */
export function delegationResult(
  start: DelegationStart,
  progress: AgentProgress,
  baseline: Session,
  summary: SpilledText,
): DelegationResult {
  // The delegation's own handoffs are of no use to its parent.
  const handoffs = new Set(progress.handoffs.map(({ artifact }) => artifact));
  const artifacts = newArtifacts(progress.session, baseline).filter(({ name }) => !handoffs.has(name));
  const files = changedFiles(progress.session, baseline);
  return {
    summary,
    artifacts: artifacts.slice(0, maxArtifacts),
    ...(artifacts.length > maxArtifacts ? { moreArtifacts: artifacts.length - maxArtifacts } : {}),
    changedFiles: files.slice(0, maxChangedFiles).map(({ path }) => path),
    ...(start.returnsFiles === true ? { files } : {}),
    toolsUsed: toolsUsed(progress.session, baseline),
    missingArtifacts: missingArtifacts(start, progress.session, baseline),
    spent: totalSpent(progress.ledger),
  };
}

/** Returns the names of expected artifacts that the delegation has not written. */
export function missingArtifacts(
  { expectedArtifacts }: Pick<DelegationStart, 'expectedArtifacts'>,
  session: Session,
  baseline: Session,
): string[] {
  const delivered = new Set(newArtifacts(session, baseline).map(({ name }) => name));
  return expectedArtifacts.filter((name) => !delivered.has(name));
}

function newArtifacts(session: Session, baseline: Session): NamedArtifact[] {
  const before = new Map(recordsOf(baseline, artifactsSlice).map(({ name, ref }) => [name, ref.hash]));
  return recordsOf(session, artifactsSlice)
    .filter(({ name, ref }) => before.get(name) !== ref.hash)
    .map(({ name, ref }) => ({ name, ref }));
}

function changedFiles(session: Session, baseline: Session): FileRecord[] {
  const before = new Map(recordsOf(baseline, filesSlice).map(({ path, hash }) => [path, hash]));
  return recordsOf(session, filesSlice).filter(({ path, hash }) => before.get(path) !== hash);
}

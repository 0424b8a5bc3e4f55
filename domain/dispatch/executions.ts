import { canonicalJson } from '../json';
import { artifactsSlice, recordsOf, type Session } from '../session';
import { failedOutcome, type ToolCall, type ToolExecution } from '../tool/call';
import type { SessionEvent } from '../tool/event';
import type { DelegationResult, LeftArtifact } from './delegation';
import type { ReadyDelegation, RefusedDelegation } from './prepared';

/** Nothing was started: the model is told why, and what to do. */
export function refusedExecution({ id }: ToolCall, { message }: RefusedDelegation): ToolExecution {
  return { outcome: failedOutcome(id, message), changes: [], events: [] };
}

/** What a delegation left becomes part of the delegating agent's record; nothing else of it does. */
export function succeededExecution(
  call: ToolCall,
  prepared: ReadyDelegation,
  result: DelegationResult,
  session: Session,
): ToolExecution {
  const artifacts = named(result, prepared.delegationId, session);
  const complete = result.missingArtifacts.length === 0;
  return {
    outcome: {
      callId: call.id,
      isError: !complete,
      content: result.summary,
      addendum: addendum(prepared, result, [...artifacts.map(({ name }) => name), ...result.changedFiles]),
    },
    changes: [],
    events: [
      ...artifacts.map(({ name, ref }) => artifactEvent(name, ref, prepared.delegationId)),
      ...endedEvents(prepared, complete ? 'done' : 'failed'),
    ],
  };
}

export function failedExecution(
  call: ToolCall,
  prepared: ReadyDelegation,
  cause: { readonly type: string | undefined; readonly message: string },
): ToolExecution {
  const why = `${cause.type ?? 'Delegation.Failed'}: ${cause.message}`.slice(0, 500);
  const message = `DispatchSubagentError: the subagent run was aborted (${why}). [delegation_id ${prepared.delegationId}]`;
  return { outcome: failedOutcome(call.id, message), changes: [], events: endedEvents(prepared, 'failed') };
}

function endedEvents({ delegationId, planStepId }: ReadyDelegation, status: 'done' | 'failed'): SessionEvent[] {
  return [
    { type: 'delegationEnded', value: { delegationId, status } },
    ...(planStepId === null ? [] : [{ type: 'planStepChanged', value: { id: planStepId, status } }]),
  ];
}

function artifactEvent(name: string, ref: LeftArtifact['ref'], by: string): SessionEvent {
  return { type: 'artifactWritten', value: { name, ref: { ...ref }, by } };
}

/** A child's artifact keeps its name, unless the delegating agent has another one of that name. */
function named({ artifacts }: DelegationResult, delegationId: string, session: Session): LeftArtifact[] {
  const taken = new Set(recordsOf(session, artifactsSlice).map(({ name }) => name));
  return artifacts.map(({ name, ref }) => ({ name: taken.has(name) ? `${delegationId}/${name}` : name, ref }));
}

const shownNames = 40;

/** The structured part of the result, after the summary; by the names that the model knows. */
function addendum(
  { promptNs, promptKey }: ReadyDelegation,
  { toolsUsed, missingArtifacts }: DelegationResult,
  left: readonly string[],
): string {
  const more = left.length > shownNames ? [`… and ${left.length - shownNames} more`] : [];
  const payload = {
    prompt_ns: promptNs,
    prompt_key: promptKey,
    artifacts: [...left.slice(0, shownNames), ...more],
    tools_used: toolsUsed,
  };
  const missing = missingArtifacts.length === 0 ? '' : `\n\nNot delivered: ${missingArtifacts.join(', ')}.`;
  return `${missing}\n\n${canonicalJson(payload)}`;
}

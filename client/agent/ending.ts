import type { Client } from '@temporalio/client';
import {
  ApplicationFailure,
  CancelledFailure,
  ChildWorkflowFailure,
  TerminatedFailure,
  TimeoutFailure,
} from '@temporalio/common';
import {
  decodeArrayFromPayloads,
  decodeOptionalFailureToOptionalError,
} from '@temporalio/common/lib/internal-non-workflow';
import { temporal } from '@temporalio/proto';
import type { NamedArtifact } from '../../domain/delegation';
import { isFailureType } from '../../domain/kernel';
import { addUsage, noUsage, type Usage } from '../../domain/model';
import type { SpilledText } from '../../domain/store';

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** The end of an execution, read from its last event alone. */
export interface Ending {
  readonly kind: 'completed' | 'failed' | 'cancelled' | 'terminated' | 'timed out';
  readonly at: string;
  readonly cause: Cause | null;
  /** Usage of the agent and its delegations together; null when the last event does not contain it. */
  readonly usage: Usage | null;
  readonly turns: number | null;
  readonly microUsd: number | null;
  /** The answer of a root agent, or the text that a delegation returned to its parent. */
  readonly answer: SpilledText | null;
  readonly artifacts: readonly NamedArtifact[];
}

/** Reads the end of an agent's latest execution with one request. Undefined while that execution is open. */
export async function readEnding(client: Client, workflowId: string): Promise<Ending | undefined> {
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    namespace: client.options.namespace,
    execution: { workflowId },
    historyEventFilterType: temporal.api.enums.v1.HistoryEventFilterType.HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT,
    skipArchival: true,
  });
  const event = history?.events?.at(-1);
  return event === undefined ? undefined : fromEvent(client, event);
}

async function fromEvent(client: Client, event: HistoryEvent): Promise<Ending | undefined> {
  const at = new Date(Number(String(event.eventTime?.seconds ?? 0)) * 1_000).toISOString();
  const bare = { at, cause: null, usage: null, turns: null, microUsd: null, answer: null, artifacts: [] };
  if (event.workflowExecutionCompletedEventAttributes) {
    const { payloads } = event.workflowExecutionCompletedEventAttributes.result ?? {};
    const [result] = await decodeArrayFromPayloads(client.options.loadedDataConverter, payloads ?? []);
    return { ...bare, kind: 'completed', ...fromResult(Object(result) as AnyResult) };
  }
  if (event.workflowExecutionFailedEventAttributes) {
    const { failure } = event.workflowExecutionFailedEventAttributes;
    const error = await decodeOptionalFailureToOptionalError(client.options.loadedDataConverter, failure);
    const cause = causeOf(error);
    return { ...bare, kind: 'failed', cause, ...fromDetails(cause.details as FailureDetails | undefined) };
  }
  if (event.workflowExecutionCanceledEventAttributes) return { ...bare, kind: 'cancelled' };
  if (event.workflowExecutionTimedOutEventAttributes) return { ...bare, kind: 'timed out' };
  const terminated = event.workflowExecutionTerminatedEventAttributes;
  if (!terminated) return undefined;
  const cause = { type: 'Terminated', message: terminated.reason ?? '', agents: [], details: undefined };
  return { ...bare, kind: 'terminated', cause };
}

/** Result of a run, a relay or a delegation. Each has some of these fields. */
interface AnyResult {
  readonly answer?: SpilledText;
  readonly summary?: SpilledText;
  readonly usage?: Usage;
  readonly delegatedUsage?: Usage;
  readonly turns?: number;
  readonly spent?: { readonly microUsd?: number; readonly turns?: number; readonly usage?: Usage };
  readonly artifacts?: readonly NamedArtifact[];
}

function fromResult(result: AnyResult): Pick<Ending, 'usage' | 'turns' | 'microUsd' | 'answer' | 'artifacts'> {
  const { usage = result.spent?.usage, delegatedUsage = noUsage } = result;
  return {
    usage: usage === undefined ? null : addUsage(usage, delegatedUsage),
    turns: result.turns ?? result.spent?.turns ?? null,
    microUsd: result.spent?.microUsd ?? null,
    answer: result.answer ?? result.summary ?? null,
    artifacts: result.artifacts ?? [],
  };
}

interface FailureDetails {
  readonly turns?: number;
  readonly usage?: Usage | null;
  readonly spent?: { readonly microUsd?: number };
}

function fromDetails(details: FailureDetails | undefined): Pick<Ending, 'usage' | 'turns' | 'microUsd'> {
  return {
    usage: details?.usage ?? null,
    turns: details?.turns ?? null,
    microUsd: details?.spent?.microUsd ?? null,
  };
}

/** The reason for a failure, and the delegations that it passed through. */
export interface Cause {
  readonly type: string;
  readonly message: string;
  /** Workflow ids of the delegations that the failure passed through, outermost first. */
  readonly agents: readonly string[];
  /** Details that the failing agent attached to its failure. */
  readonly details: unknown;
}

/**
 * Finds the cause of an error: activity and child failures are wrappers, so the innermost failure with a type counts.
 */
export function causeOf(error: Error | undefined): Cause {
  const agents: string[] = [];
  let found = { type: 'Unknown', message: error?.message ?? 'no reason given' };
  let details: unknown;
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (at instanceof ChildWorkflowFailure) agents.push(at.execution.workflowId ?? '');
    else if (at instanceof ApplicationFailure && isBetter(at.type, found.type))
      found = { type: at.type, message: at.message };
    else if (found.type === 'Unknown') found = untyped(at, found.message);
    if (at instanceof ApplicationFailure) details ??= at.details?.[0];
  }
  return { ...found, agents: agents.filter((id) => id !== ''), details };
}

/** The deepest type wins, but one of Baton's failure types is never replaced by the type of an exception below it. */
function isBetter(type: string | null | undefined, found: string): type is string {
  return typeof type === 'string' && (isFailureType(type) || !isFailureType(found));
}

function untyped(error: Error, otherwise: string): { type: string; message: string } {
  if (error instanceof TerminatedFailure) return { type: 'Terminated', message: 'it was terminated' };
  if (error instanceof TimeoutFailure) return { type: 'TimedOut', message: error.message };
  if (error instanceof CancelledFailure) return { type: 'Cancelled', message: 'it was cancelled' };
  return { type: 'Unknown', message: error.message || otherwise };
}

import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import {
  decodeArrayFromPayloads,
  decodeOptionalFailureToOptionalError,
} from '@temporalio/common/lib/internal-non-workflow';
import { temporal } from '@temporalio/proto';
import { agentFailureDetailsSchema, runResultSchema } from '../../domain/agent';
import { delegationResultSchema, type NamedArtifact } from '../../domain/delegation';
import { isFailureType } from '../../domain/kernel';
import { addUsage, type FallbackRecord, type Usage } from '../../domain/model';
import type { SpilledText } from '../../domain/store';
import { failureCause, type StopKind } from '../../temporal-config/failure-cause';
import { grpcStatus, grpcStatusOf } from '../../temporal-config/node/connection-failure';

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** The end of an execution, read from its last event alone. */
export interface Ending {
  readonly kind: 'completed' | 'failed' | 'cancelled' | 'terminated' | 'timed out';
  readonly at: string;
  readonly cause: Cause | null;
  /** Usage of the agent and its delegations together; null when the last event does not contain it. */
  readonly usage: Usage | null;
  /** Usage of the agent without its delegations; null when the last event does not contain it. */
  readonly ownUsage: Usage | null;
  readonly turns: number | null;
  readonly microUsd: number | null;
  /** The answer of a root agent, or the text that a delegation returned to its parent. */
  readonly answer: SpilledText | null;
  readonly artifacts: readonly NamedArtifact[];
  /** Models of the agent that another one replaced. */
  readonly fallbacks: readonly FallbackRecord[];
}

/** Reads the end of an agent's latest execution with one request. Undefined while that execution is open. */
export async function readEnding(client: Client, workflowId: string): Promise<Ending | undefined> {
  const request = client.workflowService.getWorkflowExecutionHistory({
    namespace: client.options.namespace,
    execution: { workflowId },
    historyEventFilterType: temporal.api.enums.v1.HistoryEventFilterType.HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT,
    skipArchival: true,
  });
  const { history } = await request.catch((error: unknown) => {
    // The SDK converts this error only for calls of its own client.
    if (grpcStatusOf(error) !== grpcStatus.notFound) throw error;
    throw new WorkflowNotFoundError(`Workflow "${workflowId}" does not exist`, workflowId, undefined);
  });
  const event = history?.events?.at(-1);
  return event === undefined ? undefined : fromEvent(client, event);
}

const unknown = {
  cause: null,
  usage: null,
  ownUsage: null,
  turns: null,
  microUsd: null,
  answer: null,
  artifacts: [],
  fallbacks: [],
} as const;

async function fromEvent(client: Client, event: HistoryEvent): Promise<Ending | undefined> {
  const at = new Date(Number(String(event.eventTime?.seconds ?? 0)) * 1_000).toISOString();
  const bare = { ...unknown, at };
  if (event.workflowExecutionCompletedEventAttributes) {
    const { payloads } = event.workflowExecutionCompletedEventAttributes.result ?? {};
    const [result] = await decodeArrayFromPayloads(client.options.loadedDataConverter, payloads ?? []);
    return { ...bare, kind: 'completed', ...fromResult(result) };
  }
  if (event.workflowExecutionFailedEventAttributes) {
    const { failure } = event.workflowExecutionFailedEventAttributes;
    const error = await decodeOptionalFailureToOptionalError(client.options.loadedDataConverter, failure);
    return { ...bare, kind: 'failed', cause: causeOf(error), ...fromFailure(error) };
  }
  if (event.workflowExecutionCanceledEventAttributes) return { ...bare, kind: 'cancelled' };
  if (event.workflowExecutionTimedOutEventAttributes) return { ...bare, kind: 'timed out' };
  const terminated = event.workflowExecutionTerminatedEventAttributes;
  if (!terminated) return undefined;
  const cause = { type: 'Terminated', message: terminated.reason ?? '', agents: [] };
  return { ...bare, kind: 'terminated', cause };
}

/** Reads the result of a run, a relay or a delegation. A relay's result contains that of a run. */
function fromResult(result: unknown): Partial<Ending> {
  const run = runResultSchema.safeParse(result);
  if (run.success) {
    const { usage, delegatedUsage, turns, microUsd, answer, fallbacks = [] } = run.data;
    return { usage: addUsage(usage, delegatedUsage), ownUsage: usage, turns, microUsd, answer, fallbacks };
  }
  return fromDelegationResult(result) ?? {};
}

/** Reads the result of a delegation; undefined if the value is not one. */
export function fromDelegationResult(
  result: unknown,
): Pick<Ending, 'usage' | 'ownUsage' | 'turns' | 'microUsd' | 'answer' | 'artifacts' | 'fallbacks'> | undefined {
  const delegation = delegationResultSchema.safeParse(result);
  if (!delegation.success) return undefined;
  const { spent, ownUsage = null, summary, artifacts = [], fallbacks = [] } = delegation.data;
  return { ...spent, ownUsage, answer: summary, artifacts, fallbacks };
}

/** Reads the spending that a failed agent attached to its failure. */
function fromFailure(error: Error | undefined): Partial<Ending> {
  for (const details of failureCause(error, isFailureType).details) {
    const { data } = agentFailureDetailsSchema.safeParse(details);
    if (data === undefined) continue;
    const { turns, spent, ownUsage = null, fallbacks = [] } = data;
    return { turns, usage: spent?.usage ?? null, ownUsage, microUsd: spent?.microUsd ?? null, fallbacks };
  }
  return {};
}

/** The reason for a failure, and the delegations that it passed through. */
export interface Cause {
  readonly type: string;
  readonly message: string;
  /** Workflow ids of the delegations that the failure passed through, outermost first. */
  readonly agents: readonly string[];
}

const stopTypes: Readonly<Record<StopKind, string>> = {
  cancelled: 'Cancelled',
  terminated: 'Terminated',
  timedOut: 'TimedOut',
};

/** Finds the cause of an error, for users. Its type is `Unknown` if nothing says why. */
export function causeOf(error: Error | undefined): Cause {
  const { type, message, stopped, workflowIds } = failureCause(error, isFailureType);
  return {
    type: type ?? (stopped === undefined ? 'Unknown' : stopTypes[stopped]),
    message: message || 'no reason given',
    agents: workflowIds,
  };
}

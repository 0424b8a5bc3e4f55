import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import {
  decodeArrayFromPayloads,
  decodeOptionalFailureToOptionalError,
} from '@temporalio/common/lib/internal-non-workflow';
import type { temporal } from '@temporalio/proto';
import { agentFailureDetailsSchema, runResultSchema } from '../../domain/agent';
import { type Allowance, type Figures, figuresOf, nothingSpent } from '../../domain/budget';
import { delegationResultSchema, type NamedArtifact } from '../../domain/delegation';
import { isFailureType } from '../../domain/kernel';
import type { FallbackRecord } from '../../domain/model';
import type { SpilledText } from '../../domain/store';
import { failureCause, type StopKind } from '../../temporal-config/failure-cause';
import { grpcStatus, grpcStatusOf } from '../../temporal-config/node/connection-failure';
import { oneLine } from '../format';

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** The result that an operator supplied instead of an agent's own. */
export interface SkippedResult {
  /** Name of the operator; empty when none was given. */
  readonly by: string;
  /** Beginning of the text that replaced the result; null when it is long and in the store. */
  readonly text: string | null;
}

/** Formats who replaced the result of an agent, and the text, in one line. */
export function formatSkipped({ by, text }: SkippedResult): string {
  return `${by === '' ? '' : `by ${oneLine(by, 40)}, `}result replaced${text === null ? '' : ` by "${oneLine(text, 60)}"`}`;
}

/** The end of an execution, read from its last event alone. */
export interface Ending {
  readonly kind: 'completed' | 'failed' | 'cancelled' | 'terminated' | 'timed out';
  readonly at: string;
  readonly cause: Cause | null;
  /** What the agent itself consumed; null when the last event does not contain it. */
  readonly own: Figures | null;
  /** What the agent and everything below it consumed; null when the last event does not contain it. */
  readonly withDelegations: Figures | null;
  /** The budget that `withDelegations` counts against; null when the last event does not contain one. */
  readonly budget: Allowance | null;
  /** How an operator replaced its result; null unless one did. */
  readonly skipped: SkippedResult | null;
  /** The answer of a root agent, or the text that a delegation returned to its parent. */
  readonly answer: SpilledText | null;
  readonly artifacts: readonly NamedArtifact[];
  /** Models of the agent that another one replaced. */
  readonly fallbacks: readonly FallbackRecord[];
}

/** Reads the end of an agent's latest execution with one request. Undefined while that execution is open. */
export async function readEnding(client: Client, workflowId: string): Promise<Ending | undefined> {
  // Asked for its last event by the filter for it, the server waits 20 seconds for the end of an open execution.
  const request = client.workflowService.getWorkflowExecutionHistoryReverse({
    namespace: client.options.namespace,
    execution: { workflowId },
    maximumPageSize: 1,
  });
  const { history } = await request.catch((error: unknown) => {
    // The SDK converts this error only for calls of its own client.
    if (grpcStatusOf(error) !== grpcStatus.notFound) throw error;
    throw new WorkflowNotFoundError(`Workflow "${workflowId}" does not exist`, workflowId, undefined);
  });
  const event = history?.events?.[0];
  return event === undefined ? undefined : fromEvent(client, event);
}

const unknown = {
  cause: null,
  own: null,
  withDelegations: null,
  budget: null,
  skipped: null,
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
    const { own, withDelegations, budget = null, answer, fallbacks = [], skippedBy } = run.data;
    return { own, withDelegations, budget, answer, fallbacks, skipped: skippedResult(skippedBy, answer) };
  }
  return fromDelegationResult(result) ?? {};
}

/** Reads the result of a delegation; undefined if the value is not one. */
export function fromDelegationResult(
  result: unknown,
): Pick<Ending, 'own' | 'withDelegations' | 'skipped' | 'answer' | 'artifacts' | 'fallbacks'> | undefined {
  const delegation = delegationResultSchema.safeParse(result);
  if (!delegation.success) return undefined;
  const { spent, own = spent, summary, artifacts = [], fallbacks = [], skipped, skippedBy = '' } = delegation.data;
  return {
    own: figuresOf(own),
    withDelegations: figuresOf(spent),
    skipped: skipped === true ? skippedResult(skippedBy, summary) : null,
    answer: summary,
    artifacts,
    fallbacks,
  };
}

function skippedResult(by: string | undefined, answer: SpilledText): SkippedResult | null {
  return by === undefined ? null : { by, text: 'text' in answer ? answer.text : null };
}

/** Reads the spending that a failed agent attached to its failure. */
function fromFailure(error: Error | undefined): Partial<Ending> {
  for (const details of failureCause(error, isFailureType).details) {
    const { data } = agentFailureDetailsSchema.safeParse(details);
    if (data === undefined) continue;
    const { spent, own = spent ?? nothingSpent, fallbacks = [] } = data;
    return { own: figuresOf(own), withDelegations: figuresOf(spent ?? nothingSpent), fallbacks };
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

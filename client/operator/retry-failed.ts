import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { delegationPath, displayId, parentOf } from '../../domain/kernel';
import { checkAmendment, type OperatorAction } from '../../domain/operator';
import { type Ending, readEnding } from '../agent/ending';
import { findAgent } from '../agent/find-agent';
import { describeAgent, queryAgentStatus } from '../agent/outcome';
import { countWorkers } from '../agent/workers';
import { BatonError } from '../client-errors';
import { incidentsFor } from './decide';
import { decideForRun, type RecordedDecision } from './decide-for-run';
import { type ExecutionRecord, readLatest } from './execution-record';
import { amendmentFor, makeReset, noteOf, type PlannedReset, type RetryFailedOptions } from './planned-reset';
import { commandAfter, findResetPoint, isEnough, type ResetPoint } from './reset-point';
import { parentsToTakeBack, reopenedHosts } from './take-back';

/** What was retried. */
export interface RetriedAgents {
  /** Workflow id of the agent that was named. */
  readonly workflowId: string;
  /** Workflow ids of the agents that continue where they ended: the one that was named, and delegations below it. */
  readonly retried: readonly string[];
  /** Workflow ids of the agents that were taken back to wait for them. */
  readonly takenBack: readonly string[];
  /** Number of workers that polled the task queue in the last minutes. Without one, nothing continues. */
  readonly workers: number;
}

/** An incident that was answered, or agents that had failed and were retried. */
export type RetryOutcome =
  ({ readonly kind: 'answered' } & RecordedDecision) | ({ readonly kind: 'resumed' } & RetriedAgents);

/**
 * Retries an agent, with changes of its settings if there are any. If it waits for an operator, answers its incident. If
 * it has failed, takes it back to the step that failed. Throws a `BatonError` if there is nothing to retry.
 */
export async function retryAgent(
  client: Client,
  target: string,
  delegation: string | undefined,
  { incident, ...options }: RetryFailedOptions & { readonly incident?: string } = {},
): Promise<RetryOutcome> {
  const { workflowId, isRunning } = await findAgent(client, target, delegation);
  const { amendment } = options;
  const decision = {
    ...(amendment === undefined ? { action: 'retry' as const } : { action: 'amend' as const, amendment }),
    ...noteOf(options),
    ...(incident === undefined ? {} : { incident }),
  };
  const isAsked = isRunning || incident !== undefined || (await parentAsks(client, workflowId, decision.action));
  if (isAsked) return { kind: 'answered', ...(await decideForRun(client, target, delegation, decision)) };
  return { kind: 'resumed', ...(await retryFailed(client, workflowId, options)) };
}

/** Whether the parent of a delegation that has ended waits for an operator's decision about it. */
async function parentAsks(client: Client, workflowId: string, action: OperatorAction): Promise<boolean> {
  const parent = parentOf(workflowId);
  if (parent === undefined || (await statusOf(client, parent)) !== 'RUNNING') return false;
  const { incidents = [] } = (await queryAgentStatus(client, parent)) ?? {};
  return incidentsFor(incidents, action, delegationPath(workflowId).at(-1)).length > 0;
}

/**
 * Retries an agent that has failed, without preparation: takes it back to the step that failed and has that tried again.
 * Answers that were paid for are used again, and delegations that have ended keep their results. Plans everything before
 * it changes anything. Throws a `BatonError` if there is nothing to retry.
 */
export async function retryFailed(
  client: Client,
  workflowId: string,
  options: RetryFailedOptions = {},
): Promise<RetriedAgents> {
  const problem = options.amendment === undefined ? undefined : checkAmendment(options.amendment, []);
  if (problem !== undefined) throw new BatonError('Client.NotApplicable', problem);
  const { taskQueue, status } = await describeAgent(client, workflowId);
  if (status.name === 'RUNNING') throw isRunning(workflowId);
  if (options.amendment !== undefined && isFromOutside(status.name)) throw notAmendable(workflowId, status.name);
  const own = await planAgent(client, workflowId, options);
  const parents = parentOf(workflowId) === undefined ? [] : await parentsToTakeBack(client, workflowId, options);
  for (const reset of [...own, ...parents]) await makeReset(client, reset);
  return {
    workflowId,
    retried: agentsOf(own),
    takenBack: agentsOf(parents),
    workers: await countWorkers(client, taskQueue),
  };
}

/** Hosts of shared sessions are not agents. */
function agentsOf(resets: readonly PlannedReset[]): readonly string[] {
  return resets.filter(({ retry }) => retry !== undefined).map(({ workflowId }) => workflowId);
}

/** Plans the retry of an agent, and before it that of the delegations it failed because of or that ended with it. */
async function planAgent(
  client: Client,
  workflowId: string,
  options: RetryFailedOptions,
): Promise<readonly PlannedReset[]> {
  const ending = await endingOf(client, workflowId, options);
  const record = await readLatest(client, workflowId);
  const point = findResetPoint(record, ending, options.amendment !== undefined);
  if (point === undefined) throw noPoint(workflowId, ending);
  const { resets, startAgain } = await planDelegations(client, point, options);
  const amendment = await amendmentFor(client, record, options.amendment, resets.length > 0);
  return [
    ...(await reopenedHosts(client, point.hosts)),
    ...resets,
    {
      workflowId,
      executionId: record.executionId,
      latestId: record.executionId,
      task: point.task,
      retry: {
        ...noteOf(options),
        ...(amendment === undefined ? {} : { amendment }),
        ...(startAgain.length === 0 ? {} : { startAgain }),
      },
    },
  ];
}

/** Plans the delegations that are retried with their parent. Those that did nothing are started again by it. */
async function planDelegations(
  client: Client,
  { retries }: ResetPoint,
  options: RetryFailedOptions,
): Promise<{ readonly resets: readonly PlannedReset[]; readonly startAgain: readonly string[] }> {
  const resets: PlannedReset[] = [];
  const startAgain: string[] = [];
  for (const { workflowId } of retries) {
    const status = await statusOf(client, workflowId);
    if (status === 'RUNNING' || status === 'COMPLETED') continue;
    const record = status === undefined ? undefined : await readLatest(client, workflowId);
    if (record === undefined || record.tasks.length === 0 || isCutBeforeWork(record)) {
      startAgain.push(workflowId.slice(workflowId.lastIndexOf('/') + 1));
      continue;
    }
    resets.push(...(await planAgent(client, workflowId, { ...options, cancelled: true })));
  }
  return { resets, startAgain };
}

function isCutBeforeWork({ cancelRequested, tasks }: ExecutionRecord): boolean {
  return cancelRequested !== undefined && !tasks.some((task) => task < cancelRequested);
}

async function endingOf(client: Client, workflowId: string, options: RetryFailedOptions): Promise<Ending> {
  const ending = await readEnding(client, workflowId);
  const id = displayId(workflowId);
  if (ending === undefined) throw isRunning(workflowId);
  if (ending.kind === 'completed') {
    throw new BatonError(
      'Client.NotApplicable',
      `${id} completed, so there is nothing to retry.`,
      `If a delegation below it failed, retry that one: baton tree ${id} --all`,
    );
  }
  if (ending.kind === 'cancelled' && options.cancelled !== true) {
    throw new BatonError(
      'Client.NotApplicable',
      `${id} was cancelled.`,
      `To continue it nevertheless: baton retry ${id} --cancelled`,
    );
  }
  if (ending.cause !== null && !isEnough(ending.cause, options.amendment)) {
    throw new BatonError(
      'Client.NotApplicable',
      `${id} would fail again: ${ending.cause.message}`,
      `Change that, and continue it, with: ${commandAfter(workflowId, ending.cause)}`,
    );
  }
  return ending;
}

function isRunning(workflowId: string): BatonError {
  const id = displayId(workflowId);
  return new BatonError(
    'Client.NotApplicable',
    `${id} is running, so there is nothing to retry.`,
    `See: baton why ${id}`,
  );
}

function isFromOutside(status: string): boolean {
  return status === 'TERMINATED' || status === 'TIMED_OUT' || status === 'CANCELLED';
}

function notAmendable(workflowId: string, status: string): BatonError {
  const id = displayId(workflowId);
  return new BatonError(
    'Client.NotApplicable',
    `${id} was stopped from outside (${status.toLowerCase()}), which does not depend on its settings.`,
    `Continue it as it was with: baton retry ${id}`,
  );
}

function noPoint(workflowId: string, { kind, cause }: Ending): BatonError {
  const id = displayId(workflowId);
  const isRelay = cause?.type === 'Relay.Failed';
  return new BatonError(
    'Client.NotApplicable',
    isRelay
      ? `${id} would fail again, because none of its delegations failed: ${cause.message}`
      : `${id} was ${kind} before it had done anything, so there is nothing to continue.`,
    isRelay ? 'Start the relay again with another goal or definition.' : 'Start it again under another id.',
  );
}

/** Returns the status of a workflow's latest execution; undefined if it does not exist. */
async function statusOf(client: Client, workflowId: string): Promise<string | undefined> {
  try {
    return (await client.workflow.getHandle(workflowId).describe()).status.name;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

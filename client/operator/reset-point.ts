import type { temporal } from '@temporalio/proto';
import { executeToolActivity } from '../../domain/agent';
import { passedDeadline } from '../../domain/budget';
import { displayId, parentOf } from '../../domain/kernel';
import { type Amendment, isAboutAnswer } from '../../domain/operator';
import { awaitSessionActivity, findSessionActivity } from '../../domain/session';
import type { Cause, Ending } from '../agent/ending';
import { idOf } from '../event/decoder';
import type { ExecutionRecord, RecordedChild } from './execution-record';

/** To which workflow task an execution is taken back, and which of its children are affected. */
export interface ResetPoint {
  readonly task: number;
  /** Delegations that ended together with the agent, or because of which it failed. They are retried first. */
  readonly retries: readonly RecordedChild[];
  /** Hosts of shared sessions that the agent asks for again. They have to be open. */
  readonly hosts: readonly RecordedChild[];
}

/**
 * Finds the point at which a failed agent continues; undefined if there is none. As little as possible is undone:
 *
 * - a step that failed, such as a model call, is requested again by the workflow task that requested it;
 * - if an answer of the model or a limit was the cause, or settings are changed, the agent asks once more whether its
 *   failure was retried;
 * - an agent that was stopped goes back to the moment before, and so do the delegations that were stopped with it;
 * - a relay goes back to the start of the delegations that failed.
 */
export function findResetPoint(record: ExecutionRecord, ending: Ending, isAmended: boolean): ResetPoint | undefined {
  const cut = cutOf(record, ending);
  if (cut !== undefined) return beforeCut(record, cut);
  if (ending.cause?.type === 'Relay.Failed') return beforeFailed(record);
  const question = questionTask(record);
  const step = isAboutAnswer(ending.cause?.type) || (isAmended && question > 0) ? undefined : failedStep(record);
  return withHosts(record, step ?? question, []);
}

/** The task in which the agent asked about the failure with which it ended, or else the one in which it ended. */
function questionTask({ tasks, question }: ExecutionRecord): number {
  const isAboutEnd = question !== undefined && question.answered > (tasks.at(-2) ?? 0);
  return isAboutEnd ? question.task : (tasks.at(-1) ?? 0);
}

/** The event that stopped the agent from outside; undefined if it failed by itself. */
function cutOf(record: ExecutionRecord, { kind, cause }: Ending): number | undefined {
  const deadline = record.timersFired.at(-1);
  const hasExpired = kind === 'failed' && cause !== null && passedDeadline(cause.message) !== undefined;
  if (kind === 'failed') return hasExpired ? deadline : undefined;
  return record.cancelRequested ?? idOf(record.last.eventId);
}

function beforeCut(record: ExecutionRecord, cut: number): ResetPoint | undefined {
  const task = record.tasks.filter((id) => id < cut).at(-1);
  if (task === undefined) return undefined;
  const stopped = record.children.filter(
    ({ isHost, requested, ended, isDone }) =>
      !isHost && requested < cut && (ended === undefined || (ended > cut && !isDone)),
  );
  return withHosts(record, Math.min(task, ...stopped.map((child) => child.task)), stopped);
}

/** A relay tolerates no failure, so each that its history contains is one that it failed because of. */
function beforeFailed(record: ExecutionRecord): ResetPoint | undefined {
  const children = record.children.filter(({ isHost, ended, isDone }) => !isHost && ended !== undefined && !isDone);
  const tasks = [...children, ...record.failedSteps].map(({ task }) => task);
  return tasks.length === 0 ? undefined : { task: Math.min(...tasks), retries: children, hosts: [] };
}

/** Failures of these steps are results that the model sees. */
const tolerated: readonly string[] = [executeToolActivity.name, findSessionActivity.name, awaitSessionActivity.name];

/** The task that requested the failed step, or the first one of the same turn that failed. */
function failedStep(record: ExecutionRecord): number | undefined {
  const scheduled = failedActivity(record);
  if (scheduled === undefined) return undefined;
  const turn = record.modelCalls.filter((id) => id <= scheduled).at(-1) ?? 0;
  const steps = record.failedSteps.filter(
    (step) => step.scheduled === scheduled || (step.scheduled > turn && !tolerated.includes(step.name)),
  );
  return steps.length === 0 ? undefined : Math.min(...steps.map(({ task }) => task));
}

/** The activity that the failure of an execution names as its cause. */
function failedActivity({ last }: ExecutionRecord): number | undefined {
  let failure: temporal.api.failure.v1.IFailure | null | undefined =
    last.workflowExecutionFailedEventAttributes?.failure;
  for (; failure != null; failure = failure.cause) {
    if (failure.childWorkflowExecutionFailureInfo) return undefined;
    if (failure.activityFailureInfo) return idOf(failure.activityFailureInfo.scheduledEventId);
  }
  return undefined;
}

/** Goes back further if the server would otherwise deliver the end of a host that is needed again. */
export function withHosts(
  record: ExecutionRecord,
  task: number,
  retries: readonly RecordedChild[],
): ResetPoint | undefined {
  const hosts = record.children.filter(({ isHost }) => isHost);
  const open = hosts.filter((host) => host.requested < task && (host.ended === undefined || host.ended > task));
  const from = Math.min(task, ...open.map((host) => host.task));
  // Hosts of later turns may not be needed any more.
  const nextTurn = record.modelCalls.find((id) => id > task) ?? Number.POSITIVE_INFINITY;
  const needed = hosts.filter((host) => host.task >= from && host.requested < nextTurn);
  return from <= 0 ? undefined : { task: from, retries, hosts: needed };
}

/** An amendment without which a failed agent would fail again, as options of `baton amend`; undefined if none is. */
function neededAmendment({ type, message }: Pick<Cause, 'type' | 'message'>): string | undefined {
  if (type === 'Agent.TurnLimit') return '--turns 10';
  if (type !== 'Budget.Exceeded') return undefined;
  if (passedDeadline(message) !== undefined) return '--deadline 1h';
  if (/only \d+ turns? /.test(message)) return '--turns 10';
  return /only \d+ tokens? /.test(message) ? '--budget-tokens 100000' : '--budget-usd 1';
}

/** Returns the command that continues an agent that ended with this failure, ready to copy. */
export function commandAfter(workflowId: string, cause: Pick<Cause, 'type' | 'message'>): string {
  const needed = neededAmendment(cause);
  const id = displayId(workflowId);
  const command = needed === undefined ? `baton retry ${id}` : `baton amend ${id} ${needed}`;
  return parentOf(workflowId) === undefined ? command : `${command} --with-parent`;
}

/** Whether an amendment changes what the failure is about. */
export function isEnough({ type, message }: Cause, amendment: Amendment | undefined): boolean {
  const needed = neededAmendment({ type, message });
  if (needed === undefined) return true;
  if (needed.startsWith('--deadline')) return amendment?.deadline !== undefined;
  return amendment?.budget !== undefined || amendment?.model !== undefined;
}

import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { decodeOptionalFailureToOptionalError } from '@temporalio/common/lib/internal-non-workflow';
import { temporal } from '@temporalio/proto';
import { z } from 'zod';
import { isFailureType } from '../../domain/kernel';
import { sessionWorkflowContract } from '../../domain/session';
import { failureCause } from '../../temporal-config/failure-cause';
import { causeOf } from '../agent/ending';
import { formatDuration } from '../format';
import { millisecondsOf } from './why';

type Description = WorkflowExecutionDescription;
type PendingActivity = temporal.api.workflow.v1.IPendingActivityInfo;

const { PENDING_ACTIVITY_STATE_SCHEDULED: scheduled } = temporal.api.enums.v1.PendingActivityState;

/** Descriptions of activities for users. */
const steps: Readonly<Record<string, string>> = {
  callModel: 'the model call',
  executeTool: 'a tool',
  openRun: 'composing the prompt',
  mountWorkspace: 'mounting the workspace',
  awaitDelegation: 'waiting for a delegation',
};

function stepOf(activity: PendingActivity): string {
  const name = activity.activityType?.name ?? 'a step';
  return steps[name] ?? `activity ${name}`;
}

/** A step that failed and is being retried. */
export interface Retrying {
  readonly step: string;
  readonly attempt: number;
  /** `, next in 4.0 s`; empty while an attempt runs. */
  readonly next: string;
  readonly type: string;
  readonly message: string;
  /** When the store could first not be used, ISO 8601; undefined if the step failed for another reason. */
  readonly storeTroubleSince: string | undefined;
}

const troubleDetails = z.object({ since: z.string() });

/** Returns the pending step with the most failed attempts. */
export async function retrying(client: Client, { raw }: Description): Promise<Retrying | undefined> {
  const failed = (raw.pendingActivities ?? []).filter(({ lastFailure }) => lastFailure != null);
  const worst = failed.sort((a, b) => (b.attempt ?? 0) - (a.attempt ?? 0))[0];
  if (worst === undefined) return undefined;
  const error = await decodeOptionalFailureToOptionalError(client.options.loadedDataConverter, worst.lastFailure);
  const { type, message } = causeOf(error);
  const wait = millisecondsOf(worst.nextAttemptScheduleTime) - Date.now();
  const next = wait > 0 ? `, next in ${formatDuration(wait)}` : '';
  const details = failureCause(error, isFailureType).details.at(-1);
  const storeTroubleSince = type.startsWith('Store.') ? troubleDetails.safeParse(details).data?.since : undefined;
  return { step: stepOf(worst), attempt: worst.attempt ?? 1, next, type, message, storeTroubleSince };
}

/** Workflow ids of running delegations, oldest first. Hosts of shared sessions are not agents and are omitted. */
export function pendingChildren({ raw }: Description): readonly string[] {
  return [...(raw.pendingChildren ?? [])]
    .filter(({ workflowTypeName }) => workflowTypeName !== sessionWorkflowContract.name)
    .sort((a, b) => Number(String(a.initiatedId ?? 0)) - Number(String(b.initiatedId ?? 0)))
    .flatMap(({ workflowId }) => workflowId ?? []);
}

/** Whether a task is queued that no worker has started. */
export function waitsForWorker({ raw }: Description): boolean {
  const task = raw.pendingWorkflowTask;
  const isTaskQueued = task != null && millisecondsOf(task.startedTime) === 0;
  return isTaskQueued || (raw.pendingActivities ?? []).some(({ state }) => state === scheduled);
}

/** Describes what a running agent is doing. */
export function busyWith({ raw }: Description, waitingFor: string): string {
  const [activity] = raw.pendingActivities ?? [];
  if (activity === undefined) return waitingFor === '' ? 'running' : `waiting for ${waitingFor}`;
  const since = millisecondsOf(activity.lastStartedTime) || millisecondsOf(activity.scheduledTime);
  const elapsed = since === 0 ? '' : `, for ${formatDuration(Date.now() - since)}`;
  return `waiting for ${stepOf(activity)}${waitingFor === '' ? '' : ` (${waitingFor})`}${elapsed}`;
}

/** Workers poll at least this often. The server still lists a worker for some minutes after it has stopped. */
const silenceMs = 75_000;

/** Counts the workers that polled a task queue recently. */
export async function workersOn(client: Client, taskQueue: string): Promise<number> {
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
  });
  return pollers.filter(({ lastAccessTime }) => Date.now() - millisecondsOf(lastAccessTime) < silenceMs).length;
}

import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import {
  decodeArrayFromPayloads,
  decodeOptionalFailureToOptionalError,
} from '@temporalio/common/lib/internal-non-workflow';
import { temporal } from '@temporalio/proto';
import { z } from 'zod';
import { runTurnActivity, turnProgressSchema } from '../../domain/agent';
import { awaitDelegationActivity } from '../../domain/delegation';
import { isFailureType } from '../../domain/kernel';
import { sessionWorkflowContract } from '../../domain/session';
import { failureCause } from '../../temporal-config/failure-cause';
import { kindOfActivity, type WorkKind } from '../../temporal-config/task-queues';
import { causeOf } from '../agent/ending';
import { formatDuration } from '../format';
import { queueOf } from './limit-wait';
import { hasWaitedForSlot } from './task-queues';
import { millisecondsOf } from './why';

type Description = WorkflowExecutionDescription;
type PendingActivity = temporal.api.workflow.v1.IPendingActivityInfo;

const { PENDING_ACTIVITY_STATE_SCHEDULED: scheduled } = temporal.api.enums.v1.PendingActivityState;

/** Descriptions of activities for users. */
const steps: Readonly<Record<string, string>> = {
  runTurn: 'the model call',
  executeTool: 'a tool',
  checkRun: 'checking the input',
  openRun: 'composing the prompt',
  mountWorkspace: 'mounting the workspace',
  awaitDelegation: 'a delegation that was running before a reset',
  awaitSession: 'a shared session that was open before a reset',
};

function stepOf(activity: PendingActivity): string {
  const name = activity.activityType?.name ?? 'a step';
  return steps[name] ?? `activity ${name}`;
}

const waitDetailsSchema = z.object({ workflowId: z.string() });

/**
 * Returns the delegations that this execution did not start itself but adopted after a reset. The server does not list
 * them as children. Each is named by the last attempt to look whether it has ended.
 */
export async function adoptedChildren(client: Client, { raw }: Description): Promise<readonly string[]> {
  const adopting = (raw.pendingActivities ?? []).filter(
    ({ activityType }) => activityType?.name === awaitDelegationActivity.name,
  );
  const errors = await Promise.all(adopting.map(({ lastFailure }) => decode(client, lastFailure)));
  return errors.flatMap((error) => {
    if (error === undefined || !isWait(error)) return [];
    const { data } = waitDetailsSchema.safeParse(failureCause(error, isFailureType).details[0]);
    return data?.workflowId ?? [];
  });
}

/** Whether a failed attempt only says that what it waits for is still running. */
function isWait(error: Error): boolean {
  return causeOf(error).type === 'Delegation.Running';
}

function decode(client: Client, failure: PendingActivity['lastFailure']): Promise<Error | undefined> {
  return decodeOptionalFailureToOptionalError(client.options.loadedDataConverter, failure);
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
  const decoded = await Promise.all(
    failed.map(async (activity) => ({ activity, error: await decode(client, activity.lastFailure) })),
  );
  const [found] = decoded
    .filter(({ error }) => error === undefined || !isWait(error))
    .sort((a, b) => (b.activity.attempt ?? 0) - (a.activity.attempt ?? 0));
  if (found === undefined) return undefined;
  const { activity: worst, error } = found;
  const { type, message } = causeOf(error);
  const wait = millisecondsOf(worst.nextAttemptScheduleTime) - Date.now();
  const next = wait > 0 ? `, next in ${formatDuration(wait)}` : '';
  const details = failureCause(error, isFailureType).details.at(-1);
  const storeTroubleSince = type.startsWith('Store.') ? troubleDetails.safeParse(details).data?.since : undefined;
  return { step: stepOf(worst), attempt: worst.attempt ?? 1, next, type, message, storeTroubleSince };
}

const storeTroubles: Readonly<Record<string, string>> = {
  'Store.Full': 'the store is full',
  'Store.Unavailable': 'the store cannot be used',
  'Store.Other': 'no worker has the store of this run',
};

/** Says what is wrong with the store, by the type of the failure, and since when. */
export function storeTrouble(type: string, since: string): string {
  return `${storeTroubles[type] ?? 'the store cannot be used'} since ${since}`;
}

/** Says why the steps of an agent wait for the store; undefined if none does. */
export async function waitsForStore(client: Client, description: Description): Promise<string | undefined> {
  const { type, storeTroubleSince } = (await retrying(client, description)) ?? {};
  return type === undefined || storeTroubleSince === undefined ? undefined : storeTrouble(type, storeTroubleSince);
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
export async function busyWith(client: Client, { raw }: Description, waitingFor: string): Promise<string> {
  const [activity] = raw.pendingActivities ?? [];
  if (activity === undefined) return waitingFor === '' ? 'running' : `waiting for ${waitingFor}`;
  const since = millisecondsOf(activity.lastStartedTime) || millisecondsOf(activity.scheduledTime);
  const elapsed = since === 0 ? '' : `, for ${formatDuration(Date.now() - since)}`;
  const step = (await turnStep(client, activity)) ?? stepOf(activity);
  return `waiting for ${step}${waitingFor === '' ? '' : ` (${waitingFor})`}${elapsed}`;
}

/** What a turn is at, as the last heartbeat of its activity said; undefined if it has said nothing. */
async function turnStep(client: Client, activity: PendingActivity): Promise<string | undefined> {
  if (activity.activityType?.name !== runTurnActivity.name) return undefined;
  const { payloads } = activity.heartbeatDetails ?? {};
  const [details] = await decodeArrayFromPayloads(client.options.loadedDataConverter, payloads);
  const progress = turnProgressSchema.safeParse(details).data;
  if (progress === undefined) return undefined;
  const { turn, tools } = progress;
  return tools.length === 0 ? `the model call of turn ${turn}` : `${tools.join(', ')} in turn ${turn}`;
}

/** The kind of slot that a step has been waiting for in vain; undefined if no step waits for one. */
export function missingSlot({ raw }: Description): WorkKind | undefined {
  const waits = (raw.pendingActivities ?? []).find(
    ({ state, scheduledTime }) => state === scheduled && hasWaitedForSlot(millisecondsOf(scheduledTime)),
  );
  return waits === undefined ? undefined : kindOfActivity(waits.activityType?.name ?? '');
}

/** A task queue of activities, and the kind of work on it. */
export interface WaitedQueue {
  readonly taskQueue: string;
  readonly kind: WorkKind;
}

/** The task queues on which steps have been waiting for a worker for longer than it takes one that is there. */
export function queuesWaitedOn({ raw }: Description): readonly WaitedQueue[] {
  const waiting = (raw.pendingActivities ?? []).filter(
    ({ state, scheduledTime }) => state === scheduled && hasWaitedForSlot(millisecondsOf(scheduledTime)),
  );
  const kinds = new Map<string, WorkKind>();
  for (const activity of waiting) {
    const taskQueue = queueOf(activity);
    if (taskQueue !== undefined) kinds.set(taskQueue, kindOfActivity(activity.activityType?.name ?? ''));
  }
  return [...kinds].map(([taskQueue, kind]) => ({ taskQueue, kind }));
}

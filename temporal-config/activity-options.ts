import type { ActivityOptions } from '@temporalio/common';
import type { WorkKind } from './task-queues';

/** Options of an activity, and the kind of work it is, which decides about its task queue. */
export interface ActivityPolicy extends ActivityOptions {
  readonly kind: WorkKind;
}

// Durations are numbers: the SDK parses a text again for every activity that a workflow schedules.
const second = 1_000;
const minute = 60 * second;

/**
 * Time after which a dead worker is noticed. Workers learn of a cancellation from the response to a heartbeat, so this
 * also bounds how long a cancelled run continues.
 */
const heartbeatTimeout = 10 * second;

/** Interval between heartbeats, independent of the heartbeat timeout. It is short so that cancelling feels prompt. */
export const heartbeatIntervalMs = 1_000;

/**
 * Maximum attempts at an activity, by its name. The policies below have no maximum: the worker enforces these, because
 * the server would also count the attempts that fail while the store can't be used.
 */
const attemptLimits: Readonly<Record<string, number>> = {
  // Each attempt may be paid for.
  runTurn: 10,
  executeTool: 5,
  // Until the host of the session answers, or is known to be lost.
  applySession: Number.POSITIVE_INFINITY,
  // However long the delegation takes, and whichever worker is available.
  awaitDelegation: Number.POSITIVE_INFINITY,
  awaitSession: Number.POSITIVE_INFINITY,
  // With the host of a shared session, everything that its writers wrote would be lost.
  storeWriters: Number.POSITIVE_INFINITY,
  findWriters: Number.POSITIVE_INFINITY,
  // Over about four minutes. By then, somebody has looked or the address is wrong.
  notifyOperators: 8,
};
const defaultAttemptLimit = 30;

/** Returns how often an activity is attempted. Attempts that end because of the store don't count. */
export function attemptLimit(activity: string): number {
  return attemptLimits[activity] ?? defaultAttemptLimit;
}

/**
 * Options for reading and writing the store and for composing prompts: quick, and safe to repeat.
 */
export const shortActivityOptions = {
  kind: 'control',
  startToCloseTimeout: minute,
  heartbeatTimeout,
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  retry: { initialInterval: second, backoffCoefficient: 2, maximumInterval: minute },
} as const satisfies ActivityPolicy;

/**
 * Options for recording how an agent ended. It must not keep the agent from ending for long, whatever the state of the
 * store.
 */
export const recordOptions = {
  ...shortActivityOptions,
  scheduleToCloseTimeout: minute,
} as const satisfies ActivityPolicy;

/** Options for announcing that an agent waits for an operator. Nothing waits for it, not even when it is cancelled. */
export const notifyOptions = {
  ...shortActivityOptions,
  startToCloseTimeout: 20 * second,
  scheduleToCloseTimeout: 15 * minute,
  cancellationType: 'TRY_CANCEL',
} as const satisfies ActivityPolicy;

/**
 * Options for reading a page of a stored content. Somebody waits for it, so a store that can't be used is reported soon.
 */
export const readOptions = {
  ...shortActivityOptions,
  scheduleToCloseTimeout: 10 * second,
} as const satisfies ActivityPolicy;

/**
 * Options for one turn: up to 15 minutes for the model, a minute for the tools that run in the same activity, and one to
 * store the results. A delay that the provider requests overrides the interval.
 */
export const turnOptions = {
  kind: 'model',
  startToCloseTimeout: 17 * minute,
  heartbeatTimeout,
  // The stream must be closed before the run closes: an abandoned stream would still be paid for.
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  retry: { initialInterval: second, backoffCoefficient: 2, maximumInterval: minute },
} as const satisfies ActivityPolicy;

/**
 * Options for tools. A tool that may not run twice is attempted again only if it has not begun, because of the store, or
 * if only its result has to be stored.
 */
export const toolOptions = {
  kind: 'tool',
  startToCloseTimeout: 5 * minute,
  heartbeatTimeout,
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  retry: { initialInterval: second, backoffCoefficient: 2, maximumInterval: 30 * second },
} as const satisfies ActivityPolicy;

/**
 * Options for a command of an agent. The worker ends it after the time that the call allows, at most an hour; this is only
 * for a worker that fails to do so.
 */
export const commandOptions = {
  ...toolOptions,
  startToCloseTimeout: 70 * minute,
} as const satisfies ActivityPolicy;

/**
 * Options for importing a folder. This takes as long as the folder is large, so only heartbeats show that it is still
 * working.
 */
export const mountOptions = {
  ...shortActivityOptions,
  startToCloseTimeout: 30 * minute,
} as const satisfies ActivityPolicy;

/**
 * Options for waiting for a delegation, however long it takes and whichever worker is available. An attempt only looks
 * whether it has ended, and says when to look again, so that waiting occupies no worker.
 */
export const awaitChildOptions = {
  kind: 'control',
  startToCloseTimeout: minute,
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  retry: { initialInterval: second, backoffCoefficient: 2, maximumInterval: 15 * second },
} as const satisfies ActivityPolicy;

/**
 * Options for one write to a shared session. It is repeated until the session's host answers: the host may be on a
 * worker that has just died, or busy.
 */
export const sessionWriteOptions = {
  kind: 'control',
  startToCloseTimeout: 2 * minute,
  heartbeatTimeout,
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  retry: {
    initialInterval: 500,
    backoffCoefficient: 2,
    maximumInterval: 15 * second,
  },
} as const satisfies ActivityPolicy;

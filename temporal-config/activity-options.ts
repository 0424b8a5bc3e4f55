import type { ActivityOptions } from '@temporalio/common';
import type { WorkKind } from './task-queues';

/** Options of an activity, and the kind of work it is, which decides about its task queue. */
export interface ActivityPolicy extends ActivityOptions {
  readonly kind: WorkKind;
}

/**
 * Time after which a dead worker is noticed. Workers learn of a cancellation from the response to a heartbeat, so this
 * also bounds how long a cancelled run continues.
 */
const heartbeatTimeout = '10 seconds';

/** Interval between heartbeats, independent of the heartbeat timeout. It is short so that cancelling feels prompt. */
export const heartbeatIntervalMs = 1_000;

/**
 * Options for reading and writing the store and for composing prompts: quick, safe to repeat, and worth waiting for
 * while a disk is full.
 */
export const shortActivityOptions = {
  kind: 'control',
  startToCloseTimeout: '1 minute',
  heartbeatTimeout,
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute', maximumAttempts: 30 },
} as const satisfies ActivityPolicy;

/**
 * Options for one model call. Attempts are bounded because each may be paid for. A delay that the provider requests
 * overrides the interval.
 */
export const modelCallOptions = {
  kind: 'model',
  startToCloseTimeout: '15 minutes',
  heartbeatTimeout,
  // The stream must be closed before the run closes: an abandoned stream would still be paid for.
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute', maximumAttempts: 10 },
} as const satisfies ActivityPolicy;

/** Options for tools that may run twice without harm. */
export const repeatableToolOptions = {
  kind: 'tool',
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout,
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds', maximumAttempts: 5 },
} as const satisfies ActivityPolicy;

/** Options for all other tools: an interrupted attempt is reported to the model instead of being retried. */
export const oneShotToolOptions = {
  ...repeatableToolOptions,
  retry: { maximumAttempts: 1 },
} as const satisfies ActivityPolicy;

/**
 * Options for importing a folder. This takes as long as the folder is large, so only heartbeats show that it is still
 * working.
 */
export const mountOptions = {
  ...shortActivityOptions,
  startToCloseTimeout: '30 minutes',
} as const satisfies ActivityPolicy;

/**
 * Options for waiting for a delegation, however long it takes and whichever worker is available. An attempt only looks
 * whether it has ended, and says when to look again, so that waiting occupies no worker.
 */
export const awaitChildOptions = {
  kind: 'control',
  startToCloseTimeout: '1 minute',
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '15 seconds' },
} as const satisfies ActivityPolicy;

/**
 * Options for one write to a shared session. It is repeated until the session's host answers: the host may be on a
 * worker that has just died, or busy.
 */
export const sessionWriteOptions = {
  kind: 'control',
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout,
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  retry: {
    initialInterval: '500 milliseconds',
    backoffCoefficient: 2,
    maximumInterval: '15 seconds',
  },
} as const satisfies ActivityPolicy;

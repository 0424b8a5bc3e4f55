import type { ActivityOptions } from '@temporalio/common';

/**
 * How soon a dead worker is noticed. Cancellation travels with heartbeats too, so this also bounds how long a cancelled
 * run goes on.
 */
export const heartbeatTimeout = '10 seconds';

/** Heartbeats are sent this often, whatever the heartbeat timeout: it is what makes cancelling feel prompt. */
export const heartbeatIntervalMs = 1_000;

/** Reading and writing the store, composing prompts: quick, safe to repeat, and worth waiting for while a disk is full. */
export const preparing = {
  startToCloseTimeout: '1 minute',
  heartbeatTimeout,
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute', maximumAttempts: 30 },
} as const satisfies ActivityOptions;

/** One model call. Attempts are bounded because each may be paid for; the provider's own delay overrules the interval. */
export const callingModel = {
  startToCloseTimeout: '15 minutes',
  heartbeatTimeout,
  // The stream must be closed before the run is: an abandoned one would go on being paid for.
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute', maximumAttempts: 10 },
} as const satisfies ActivityOptions;

/** For tools that may run twice without harm. */
export const executingTool = {
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout,
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds', maximumAttempts: 5 },
} as const satisfies ActivityOptions;

/** For all other tools: an interrupted attempt goes back to the model instead of running again. */
export const executingToolOnce = {
  ...executingTool,
  retry: { maximumAttempts: 1 },
} as const satisfies ActivityOptions;

/** Importing a folder: its time depends on the folder, so only heartbeats tell whether it goes on. */
export const mountingWorkspace = {
  ...preparing,
  startToCloseTimeout: '30 minutes',
} as const satisfies ActivityOptions;

/** As long as the delegation takes, on whichever worker is there. */
export const awaitingDelegation = {
  startToCloseTimeout: '8 days',
  heartbeatTimeout,
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
} as const satisfies ActivityOptions;

/** One write to a shared session, safe to repeat; its host may be on a worker that has just died. */
export const changingSession = {
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout,
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  retry: {
    initialInterval: '500 milliseconds',
    backoffCoefficient: 2,
    maximumInterval: '15 seconds',
    maximumAttempts: 12,
  },
} as const satisfies ActivityOptions;

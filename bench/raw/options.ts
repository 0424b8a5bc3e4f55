import type { ActivityOptions } from '@temporalio/common';

/** Options of the activities of hand-written workflows: the usual ones. */
export const rawOptions: ActivityOptions = {
  startToCloseTimeout: '15 minutes',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
};

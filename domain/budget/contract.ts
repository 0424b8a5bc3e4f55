import { z } from 'zod';
import { activityContract } from '../kernel';
import { storeLocationSchema } from '../store';
import { spendingSchema } from './allowance';

export const readSpendingActivity = activityContract('readSpending', {
  description:
    'Looks up in the journal what delegations have spent, each with everything below it, if they ended without reporting it: cancelled, terminated or timed out.',
  input: storeLocationSchema.extend({
    /** Workflow ids of the delegations. */
    agents: z.array(z.string()).readonly(),
  }),
  /** In the order of the input. */
  result: z.array(spendingSchema).readonly(),
});

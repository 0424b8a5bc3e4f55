import { z } from 'zod';

/**
 * Schema of a risk. It is in a separate file because both the tool, which runs in the worker, and the slice, which runs
 * in the workflow sandbox, need it.
 */
export const riskSchema = z.strictObject({
  id: z.string().min(1).max(20),
  text: z.string().min(1).max(500),
  severity: z.enum(['low', 'high']),
});

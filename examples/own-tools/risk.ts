import { z } from 'zod';

/** In a file of its own: the tool runs in the worker and the slice in the workflow sandbox, and both need it. */
export const riskSchema = z.strictObject({
  id: z.string().min(1).max(20),
  text: z.string().min(1).max(500),
  severity: z.enum(['low', 'high']),
});

import { z } from 'zod';
import { sectionRangeSchema } from './section-path';

// Fields that both kinds of input have.

export const positionSchema = z
  .strictObject({
    parentDelegationId: z.string().nullish().describe("The parent's own delegation id; null for a root agent"),
    runId: z.string().nullish(),
    ordinal: z.int().nonnegative().describe('Counts every attempted delegation of that agent, from 0'),
  })
  .describe('Where in a run the delegation stands; part of its id');

export const limitsSchema = z
  .strictObject({
    maxBytes: z.int().positive().optional(),
    maxTokens: z.int().positive().optional().describe('Estimated: three bytes of UTF-8 a token'),
  })
  .describe('A larger prompt is an error: it is never cut');

export const delegationIdSchema = z.string().min(1).max(200).describe('Used as it is instead of a computed id');

export const sectionIndexSchema = z
  .array(sectionRangeSchema)
  .describe('UTF-8 byte range of each section in the parent prompt');

/** Empty counts as left out. */
export const optionalText = z.string().optional();
export const optionalList = z.array(z.string()).optional();

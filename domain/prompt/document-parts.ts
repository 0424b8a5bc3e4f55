import { z } from 'zod';
import { sectionRangeSchema } from './sections';

// Fields that the inputs of both composition styles have in common.

export const positionSchema = z
  .strictObject({
    parentDelegationId: z.string().nullish().describe("The parent's own delegation id; null for a root agent"),
    runId: z.string().nullish(),
    ordinal: z.int().nonnegative().describe('Zero-based number of this delegation among all that the parent attempted'),
  })
  .describe('Position of the delegation in its run; part of its id');

export const limitsSchema = z
  .strictObject({
    maxBytes: z.int().positive().optional(),
    maxTokens: z.int().positive().optional().describe('Maximum tokens, estimated as three UTF-8 bytes per token'),
  })
  .describe('A larger prompt is an error; prompts are never truncated');

export const delegationIdSchema = z.string().min(1).max(200).describe('Used instead of a computed id');

export const sectionIndexSchema = z
  .array(sectionRangeSchema)
  .describe('UTF-8 byte range of each section in the parent prompt');

/** An optional text. An empty text counts as omitted. */
export const optionalText = z.string().optional();
export const optionalList = z.array(z.string()).optional();

import { z } from 'zod';
import { compositionRecordSchema, outputSchema, promptDefinitionSchema, sectionRangeSchema } from '../prompt';
import { blobRefSchema } from '../store/blob-ref';

/**
 * What is kept beside every prompt that an agent was given: enough to make the prompt again and compare it, and to
 * compose the next one from it. From any agent's record the chain leads back to the root's.
 */
export const promptRecordSchema = z.strictObject({
  version: z.literal(1),
  prompt: blobRefSchema,
  ns: z.string(),
  key: z.string(),
  /** Of the whole prompt, embedded ones included. */
  sections: z.array(sectionRangeSchema),
  /** Everything bound by this prompt and by those it was composed from. */
  parameters: z.record(z.string(), z.string()),
  output: outputSchema.nullable(),
  /** Whether a delegation from this agent hands on its transcript. */
  transcript: z.enum(['none', 'full']),
  /** For the agent of a skill: which definition it was given. */
  skill: z.strictObject({ name: z.string(), hash: z.string() }).optional(),
  origin: z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('rendered'),
      definition: promptDefinitionSchema,
      /** Of the outermost headings, when it is not the usual one. */
      headingLevel: z.int().min(1).max(6).optional(),
    }),
    z.strictObject({
      kind: z.literal('composed'),
      composition: compositionRecordSchema,
      /** The prompt of the delegating agent; its own record is found under it. */
      parent: blobRefSchema,
    }),
  ]),
});
export type PromptRecord = Readonly<z.infer<typeof promptRecordSchema>>;

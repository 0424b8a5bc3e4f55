import { z } from 'zod';
import { compositionRecordSchema, outputSchema, promptDefinitionSchema, sectionRangeSchema } from '.';
import { blobRefSchema } from '../store/blob-ref';

/**
 * The record that is stored with every agent's prompt. It is enough to rebuild the prompt and compare it, and to
 * compose prompts of delegations from it. Every record leads back, through its parents, to that of the root agent.
 */
export const promptRecordSchema = z.strictObject({
  version: z.literal(1),
  prompt: blobRefSchema,
  ns: z.string(),
  key: z.string(),
  /** Sections of the whole prompt, including those of embedded prompts. */
  sections: z.array(sectionRangeSchema),
  /** All parameters bound by this prompt and by those it was composed from. */
  parameters: z.record(z.string(), z.string()),
  output: outputSchema.nullable(),
  /** The `transcript` setting of the prompt definition. */
  transcript: z.enum(['none', 'full']),
  /** Name and hash of the skill definition, for an agent that has a skill. */
  skill: z.strictObject({ name: z.string(), hash: z.string() }).optional(),
  origin: z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('rendered'),
      definition: promptDefinitionSchema,
      /** Level of the outermost headings; omitted when it is the default. */
      headingLevel: z.int().min(1).max(6).optional(),
    }),
    z.strictObject({
      kind: z.literal('composed'),
      composition: compositionRecordSchema,
      /** The parent's prompt. The parent's record is stored under its hash. */
      parent: blobRefSchema,
    }),
  ]),
});
export type PromptRecord = Readonly<z.infer<typeof promptRecordSchema>>;

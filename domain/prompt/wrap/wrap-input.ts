import { z } from 'zod';
import { delegationIdSchema, limitsSchema, optionalList, positionSchema, sectionIndexSchema } from '../document-parts';
import { outputSchema } from '../output-schema';

const parentSchema = z.strictObject({
  output: outputSchema.nullish().describe('The structured answer that the parent expects, if any'),
  sections: sectionIndexSchema.optional(),
});

/** Input of a thin wrapper, without the text of the parent's prompt. */
export const wrappingSchema = z.strictObject({
  parent: parentSchema,
  delegation: z.strictObject({
    reason: z.string().describe('One sentence'),
    expectedResult: z.string().describe('One sentence'),
    mayDelegateFurther: z.boolean(),
    recapLines: optionalList,
  }),
  adapter: z
    .strictObject({ nativeStructuredOutput: z.boolean() })
    .optional()
    .describe('Whether the model API supports structured output natively. Default: true'),
  position: positionSchema.optional(),
  delegationId: delegationIdSchema.optional(),
  limits: limitsSchema.optional(),
});
export type WrappingInput = Readonly<z.infer<typeof wrappingSchema>>;

/** Input of `baton wrap`: `wrappingSchema` plus the text of the parent's prompt. */
export const wrapDocumentSchema = wrappingSchema.extend({
  parent: parentSchema.extend({
    prompt: z.string().min(1).describe('The prompt of the delegating agent, exactly as it was rendered'),
  }),
});
export type WrapDocument = Readonly<z.infer<typeof wrapDocumentSchema>>;

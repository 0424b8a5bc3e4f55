import { z } from 'zod';
import {
  type AuthoredField,
  authoredFields,
  rejectMarkers,
  rejectReservedHeadings,
  requireOneLine,
  requireOneSentence,
  requireText,
  requireWellFormed,
} from '../checks/text-rules';
import { delegationIdSchema, limitsSchema, optionalList, positionSchema, sectionIndexSchema } from '../document';
import { responseFormatSchema } from '../output';

const parentSchema = z.strictObject({
  output: responseFormatSchema.nullish().describe('The structured answer that the parent expects, if any'),
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

/** Notes on the answer's schema may have several lines; all other fields are single-line bullets. */
const schemaNote = /^parent\.output\.(?:fields\[\d+\]\.(?:description|rules)|reporting\[\d+\])$/;
/** Fields that are one sentence, not only one line. */
const oneSentence = /^delegation\.(?:reason|expectedResult)$/;
const notShown = /^(?:position|parent\.sections)\b/;
const mayBeEmpty = /^parent\.output\.fields\[\d+\]\.(?:description|rules)$/;

/** Checks all texts of the input. Returns the texts that appear in the prompt. */
export function checkWrapFields(input: WrappingInput): AuthoredField[] {
  const fields = authoredFields(input);
  requireWellFormed(fields);
  rejectMarkers(fields);
  const shown = fields.filter(({ field }) => !notShown.test(field));
  requireOneLine(shown.filter(({ field }) => !schemaNote.test(field)));
  requireOneSentence(shown.filter(({ field }) => oneSentence.test(field)));
  requireText(shown.filter(({ field }) => !mayBeEmpty.test(field)));
  rejectReservedHeadings(shown);
  return shown;
}

import { z } from 'zod';
import { isWellFormedUnicode } from '../prompt/bytes';

/** Maximum characters of each text in a handoff. */
export const maxHandoffTextLength = 1_000;
/** Maximum items of each list in a handoff. */
export const maxHandoffItems = 100;
/** Maximum bytes of a handoff, as canonical JSON in UTF-8. Recorded decisions may take half of it. */
export const maxHandoffBytes = 24 * 1024;

const textSchema = z
  .string()
  .max(maxHandoffTextLength)
  .refine((text) => oneLine(text) !== '', 'must not be empty')
  .refine(isWellFormedUnicode, 'has an unpaired surrogate');
const listSchema = z.array(textSchema).max(maxHandoffItems);

/** The handoff that an agent writes in its last call, to replace its conversation. */
export const handoffSchema = z.strictObject({
  goal: textSchema,
  done: listSchema,
  decisions: listSchema,
  open_questions: listSchema,
  next_steps: listSchema,
  /** Names of artifacts that the next agent should read. */
  artifacts: listSchema,
});
export type Handoff = Readonly<z.infer<typeof handoffSchema>>;

/**
 * Replaces every run of whitespace and control characters by one space. Texts are compared and rendered in this form.
 */
export function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
}

import { z } from 'zod';
import { isWellFormed } from '../prompt/bytes';

export const maxHandoffTextLength = 1_000;
export const maxHandoffItems = 100;
/** Canonical JSON of the whole, in bytes of UTF-8. Recorded decisions may take half of it. */
export const maxHandoffBytes = 24 * 1024;

const textSchema = z
  .string()
  .max(maxHandoffTextLength)
  .refine((text) => oneLine(text) !== '', 'must not be empty')
  .refine(isWellFormed, 'has half a surrogate pair');
const listSchema = z.array(textSchema).max(maxHandoffItems);

/** What is left of a conversation: written by the agent that had it, in its last call. */
export const handoffSchema = z.strictObject({
  goal: textSchema,
  done: listSchema,
  decisions: listSchema,
  open_questions: listSchema,
  next_steps: listSchema,
  /** Names of artifacts that the next agent should know. */
  artifacts: listSchema,
});
export type Handoff = Readonly<z.infer<typeof handoffSchema>>;

/** The same words without line breaks, control characters or runs of blanks: how texts are compared and rendered. */
export function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
}

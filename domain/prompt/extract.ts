import { embeddedRange } from './markers';
import { PromptError } from './prompt-error';

/** Extracts the parent's prompt from a composed prompt: the bytes between the first START line and the last END line. */
export function extractParent(prompt: Uint8Array): Uint8Array {
  const range = embeddedRange(prompt);
  if (range === undefined) {
    throw new PromptError(
      'Prompt.NothingEmbedded',
      'prompt',
      'it has no line `<!-- PARENT PROMPT START -->` followed by a line `<!-- PARENT PROMPT END -->`',
      'Pass the whole text of a composed prompt. The prompt of a root agent contains no parent prompt.',
    );
  }
  return prompt.subarray(range.start, range.end);
}

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

/**
 * Extracts the prompts of all ancestors, nearest first. Stops at the first prompt without markers. Pass `depth` if it is
 * known, because a root prompt may itself contain markers as text.
 */
export function extractAncestors(prompt: Uint8Array, depth = Infinity): Uint8Array[] {
  const ancestors: Uint8Array[] = [];
  let current = prompt;
  while (ancestors.length < depth) {
    const range = embeddedRange(current);
    if (range === undefined) break;
    current = current.subarray(range.start, range.end);
    ancestors.push(current);
  }
  return ancestors;
}

import { embeddedRange } from './markers';
import { PromptError } from './prompt-error';

/** The parent's prompt out of a composed one, byte for byte: what stands between the first START line and the last END line. */
export function extractParent(prompt: Uint8Array): Uint8Array {
  const range = embeddedRange(prompt);
  if (range === undefined) {
    throw new PromptError(
      'Prompt.NothingEmbedded',
      'prompt',
      'it has no line `<!-- PARENT PROMPT START -->` followed by a line `<!-- PARENT PROMPT END -->`',
      'Give the whole text of a composed prompt; the prompt of a root agent has no parent inside.',
    );
  }
  return prompt.subarray(range.start, range.end);
}

/**
 * Every ancestor's prompt, nearest first. Stops at the first prompt without markers; a root prompt may talk about
 * markers itself, so whoever knows the depth should say it.
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

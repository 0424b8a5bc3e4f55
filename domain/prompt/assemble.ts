import { z } from 'zod';
import { utf8 } from '../hash';
import { aligningMargin, concat, firstDifference } from './bytes';
import type { HashingOptions } from './hashing';
import { hashingWith } from './hashing';
import { embeddedRange } from './markers';
import { PromptError } from './prompt-error';

/**
 * A composed prompt as a list of parts, so that a store can keep what is new in it and refer to the parent's prompt for
 * the rest: a chain of delegations costs no more than the texts that were added to it.
 */
export const promptPartSchema = z.union([
  z.strictObject({ literal: z.string() }),
  z.strictObject({ parentRange: z.strictObject({ start: z.int().nonnegative(), end: z.int().nonnegative() }) }),
]);
export type PromptPart = Readonly<z.infer<typeof promptPartSchema>>;

export interface Assembled {
  readonly bytes: Uint8Array;
  readonly hash: string;
}

/** The bytes that a manifest stands for. */
export function assembleParts(parts: readonly PromptPart[], parent: Uint8Array): Uint8Array {
  const pieces = parts.map((part) =>
    'literal' in part ? utf8(part.literal) : parent.subarray(part.parentRange.start, part.parentRange.end),
  );
  return concat(pieces, pieces[1] === undefined ? 0 : aligningMargin(pieces[1], pieces[0]?.length ?? 0));
}

/** Assembles a composed prompt, and proves that what was embedded can be taken out again, byte for byte. */
export function assembleVerified(parts: readonly PromptPart[], parent: Uint8Array, options: HashingOptions): Assembled {
  const bytes = assembleParts(parts, parent);
  const range = embeddedRange(bytes);
  const embedded = embeddedOf(parts, parent);
  const extracted = range === undefined ? undefined : bytes.subarray(range.start, range.end);
  if (extracted === undefined || firstDifference(extracted, embedded) !== undefined) {
    throw new PromptError(
      'Prompt.NotVerbatim',
      'prompt',
      'the parent prompt cannot be taken out of the composed one as it was put in',
      'This is a defect of the composition: nothing was started.',
    );
  }
  return { bytes, hash: hashingWith(options)(bytes) };
}

/** What should be found between the markers. Without redaction it is the parent itself, and nothing is copied. */
function embeddedOf(parts: readonly PromptPart[], parent: Uint8Array): Uint8Array {
  const pieces = parts.flatMap((part) =>
    'literal' in part ? [] : [parent.subarray(part.parentRange.start, part.parentRange.end)],
  );
  const [only] = pieces;
  return only !== undefined && pieces.length === 1 ? only : concat(pieces);
}

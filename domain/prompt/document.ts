import { z } from 'zod';
import { utf8 } from '../kernel/hash';
import { aligningMargin, concat, firstDifference } from './bytes';
import type { HashingOptions } from './hashing';
import { hashingWith } from './hashing';
import { embeddedRange } from './markers';
import { PromptError } from './prompt-error';

/**
 * One part of a composed prompt: new text, or a range of the parent's prompt. The store keeps only the parts, so a chain
 * of delegations costs no more space than the texts that were added to it.
 */
export const promptPartSchema = z.union([
  z.strictObject({ literal: z.string() }),
  z.strictObject({ parentRange: z.strictObject({ start: z.int().nonnegative(), end: z.int().nonnegative() }) }),
]);
export type PromptPart = Readonly<z.infer<typeof promptPartSchema>>;

/** An assembled prompt and its SHA-256. */
export interface AssembledPrompt {
  readonly bytes: Uint8Array;
  readonly hash: string;
}

/** Returns the bytes of a prompt that is stored as parts. */
export function assembleParts(parts: readonly PromptPart[], parent: Uint8Array): Uint8Array {
  const pieces = parts.map((part) =>
    'literal' in part ? utf8(part.literal) : parent.subarray(part.parentRange.start, part.parentRange.end),
  );
  return concat(pieces, pieces[1] === undefined ? 0 : aligningMargin(pieces[1], pieces[0]?.length ?? 0));
}

/** Assembles a composed prompt and verifies that the embedded parent prompt can be extracted byte for byte. */
export function assembleVerified(
  parts: readonly PromptPart[],
  parent: Uint8Array,
  options: HashingOptions,
): AssembledPrompt {
  const bytes = assembleParts(parts, parent);
  const range = embeddedRange(bytes);
  const embedded = embeddedOf(parts, parent);
  const extracted = range === undefined ? undefined : bytes.subarray(range.start, range.end);
  if (extracted === undefined || firstDifference(extracted, embedded) !== undefined) {
    throw new PromptError(
      'Prompt.NotVerbatim',
      'prompt',
      'the parent prompt cannot be extracted unchanged from the composed prompt',
      'This is a bug in Baton. Nothing was started.',
    );
  }
  return { bytes, hash: hashingWith(options)(bytes) };
}

/** Returns the expected bytes between the markers. Without redactions this is the parent itself, without copying. */
function embeddedOf(parts: readonly PromptPart[], parent: Uint8Array): Uint8Array {
  const pieces = parts.flatMap((part) =>
    'literal' in part ? [] : [parent.subarray(part.parentRange.start, part.parentRange.end)],
  );
  const [only] = pieces;
  return only !== undefined && pieces.length === 1 ? only : concat(pieces);
}

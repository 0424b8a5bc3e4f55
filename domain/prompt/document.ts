import { z } from 'zod';
import { neutralizeMarkers, utf8 } from '../kernel';
import { aligningMargin, concat, firstDifference, type HashingOptions, hashingWith } from './bytes';
import { transcriptPath } from './layout';
import { block, isBlank } from './markdown';
import { embeddedRange } from './markers';
import { PromptError } from './prompt-error';
import { type SectionRange, sectionRangeSchema } from './sections';

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

// Fields that the inputs of both composition styles have in common.

export const positionSchema = z
  .strictObject({
    parentDelegationId: z.string().nullish().describe("The parent's own delegation id; null for a root agent"),
    runId: z.string().nullish(),
    ordinal: z.int().nonnegative().describe('Zero-based number of this delegation among all that the parent attempted'),
  })
  .describe('Position of the delegation in its run; part of its id');

export const limitsSchema = z
  .strictObject({
    maxBytes: z.int().positive().optional(),
    maxTokens: z.int().positive().optional().describe('Maximum tokens, estimated as three UTF-8 bytes per token'),
  })
  .describe('A larger prompt is an error; prompts are never truncated');

export const delegationIdSchema = z.string().min(1).max(200).describe('Used instead of a computed id');

export const sectionIndexSchema = z
  .array(sectionRangeSchema)
  .describe('UTF-8 byte range of each section in the parent prompt');

/** An optional text. An empty text counts as omitted. */
export const optionalText = z.string().optional();
export const optionalList = z.array(z.string()).optional();

/** The text of a prompt and its section index. */
export interface PromptText {
  readonly markdown: string;
  readonly sections: readonly SectionRange[];
}

/**
 * Appends the parent's conversation to its prompt as a last section, for definitions with `transcript: full`. The
 * conversation may quote a composed prompt, so its markers are neutralized and are not read as nesting.
 */
export function withTranscript({ markdown, sections }: PromptText, transcript: string): PromptText {
  const gap = markdown.endsWith('\n') ? '\n' : '\n\n';
  const text = neutralizeMarkers(isBlank(transcript) ? 'Nothing was said yet.' : block(transcript));
  const section = `## Transcript\n\n${text}\n`;
  const start = utf8(markdown + gap).length;
  return {
    markdown: markdown + gap + section,
    sections: [...sections, { path: transcriptPath(sections), start, end: start + utf8(section).length }],
  };
}

import { z } from 'zod';
import { canonicalJson } from '../json';
import { blobRefSchema } from '../store/blob-ref';
import { transcriptEntrySchema } from './entry';

/** A pack that holds the links `from` to the one before this, so that a cold load need not read them one by one. */
export const checkpointSchema = z.strictObject({ ref: blobRefSchema, from: z.int().nonnegative() });
export type Checkpoint = Readonly<z.infer<typeof checkpointSchema>>;

/**
 * One step of a conversation: what was said since the step before. It names its predecessor by hash, so the ref of the
 * last one, the head, commits to all of them.
 */
export const transcriptLinkSchema = z
  .strictObject({
    v: z.literal(1),
    index: z.int().nonnegative(),
    prev: blobRefSchema.nullable(),
    entries: z.array(transcriptEntrySchema).min(1),
    checkpoint: checkpointSchema.optional(),
  })
  .refine((link) => (link.prev === null) === (link.index === 0), 'the first link, and only it, has no predecessor')
  .refine((link) => (link.index === 0) === (link.entries[0]?.kind === 'opening'), 'only the first link opens')
  .refine((link) => link.entries.slice(1).every((entry) => entry.kind !== 'opening'), 'there is one opening')
  .refine((link) => (link.checkpoint?.from ?? -1) < link.index, 'a checkpoint lies before its link');
export type TranscriptLink = Readonly<z.infer<typeof transcriptLinkSchema>>;

export type Parsed<T> = { readonly ok: T } | { readonly problem: string };

/** The text whose UTF-8 bytes are the blob of a link. */
export function encodeLink(link: TranscriptLink): string {
  return canonicalJson(link);
}

export function parseLink(text: string): Parsed<TranscriptLink> {
  return parseJson(text, transcriptLinkSchema);
}

/** Checks a text against a schema, and gives back the JSON itself: the schema's copy would drop keys like `__proto__`. */
export function parseJson<T>(text: string, schema: z.ZodType<T>): Parsed<T> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: 'it is not JSON' };
  }
  const checked = schema.safeParse(value);
  return checked.success ? { ok: value as T } : { problem: z.prettifyError(checked.error) };
}

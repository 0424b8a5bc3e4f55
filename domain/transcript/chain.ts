import { z } from 'zod';
import { canonicalJson } from '../kernel/canonical-json';
import { blobRefSchema } from '../store/blob-ref';
import { transcriptEntrySchema } from './entry';

/** Refers to a pack of the links from index `from` up to the previous link, so that a cold load reads them at once. */
export const checkpointSchema = z.strictObject({ ref: blobRefSchema, from: z.int().nonnegative() });
export type Checkpoint = Readonly<z.infer<typeof checkpointSchema>>;

/**
 * One step of a conversation: the entries added since the previous step. Each link names its predecessor by hash, so
 * the ref of the last link, the head, commits to the whole chain.
 */
export const transcriptLinkSchema = z
  .strictObject({
    v: z.literal(1),
    index: z.int().nonnegative(),
    prev: blobRefSchema.nullable(),
    entries: z.array(transcriptEntrySchema).min(1),
    checkpoint: checkpointSchema.optional(),
  })
  .refine(
    (link) => (link.prev === null) === (link.index === 0),
    'the first link, and no other link, has no predecessor',
  )
  .refine(
    (link) => (link.index === 0) === (link.entries[0]?.kind === 'opening'),
    'the first link, and no other link, starts with an opening',
  )
  .refine(
    (link) => link.entries.slice(1).every((entry) => entry.kind !== 'opening'),
    'an opening must be the first entry',
  )
  .refine((link) => (link.checkpoint?.from ?? -1) < link.index, 'a checkpoint must start before its link');
export type TranscriptLink = Readonly<z.infer<typeof transcriptLinkSchema>>;

/** A parsed value, or the reason why the text could not be parsed. */
export type Parsed<T> = { readonly ok: T } | { readonly problem: string };

/** Returns the text whose UTF-8 bytes are stored as the blob of a link. */
export function encodeLink(link: TranscriptLink): string {
  return canonicalJson(link);
}

/** Parses the text of a link's blob. */
export function parseLink(text: string): Parsed<TranscriptLink> {
  return parseJson(text, transcriptLinkSchema);
}

/** Checks a text against a schema. Returns the parsed JSON, because the schema's copy would drop keys like `__proto__`. */
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

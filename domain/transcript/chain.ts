import { z } from 'zod';
import { checkValue, canonicalJson } from '../kernel';
import { type BlobRef, blobRefSchema } from '../store';
import {
  type ChangeEntry,
  type NoteEntry,
  type OpeningEntry,
  type ReplyEntry,
  type ToolResultsEntry,
  type TranscriptEntry,
  transcriptEntrySchema,
} from './entry';

/** Refers to a pack of the links from index `from` up to the previous link, so that a cold load reads them at once. */
const checkpointSchema = z.strictObject({ ref: blobRefSchema, from: z.int().nonnegative() });
export type Checkpoint = Readonly<z.infer<typeof checkpointSchema>>;

/**
 * One step of a conversation: the entries added since the previous step. Each link names its predecessor by hash, so
 * the ref of the last link, the head, commits to the whole chain.
 */
const transcriptLinkSchema = z
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
  const checked = checkValue(schema, value);
  return checked.success ? { ok: value as T } : { problem: z.prettifyError(checked.error) };
}

/** A tool result whose text has been loaded. */
interface ResolvedToolResult {
  readonly callId: string;
  readonly isError: boolean;
  readonly text: string;
}

/** Like `ToolResultsEntry`, but with the text of every result. */
interface ResolvedToolResults {
  readonly kind: 'toolResults';
  readonly results: readonly ResolvedToolResult[];
}

/** An entry that contains all of its texts, including those stored as blobs. */
export type ResolvedEntry = OpeningEntry | NoteEntry | ChangeEntry | ReplyEntry | ResolvedToolResults;

/** A text that an entry refers to, read from the store. */
export interface FetchedText {
  readonly hash: string;
  readonly bytes: number;
  readonly text: string;
}

/** One link with its own ref and the texts it refers to. */
export interface ChainStep {
  readonly ref: BlobRef;
  readonly link: TranscriptLink;
  readonly texts: readonly FetchedText[];
  readonly entries: readonly ResolvedEntry[];
}

/** A conversation up to its head, completely verified. Immutable: appending returns a new value. */
export interface LoadedTranscript {
  readonly head: BlobRef;
  /** Number of links: one for the opening and one for each model call. */
  readonly length: number;
  readonly opening: OpeningEntry;
  /** All entries in order; the first is the opening. */
  readonly entries: readonly ResolvedEntry[];
  readonly steps: readonly ChainStep[];
  /** Approximate size in memory. */
  readonly bytes: number;
}

/** Returns the refs of all texts that the entries do not contain themselves. */
export function textRefs(entries: readonly TranscriptEntry[]): BlobRef[] {
  return entries.flatMap((entry) =>
    entry.kind === 'toolResults' ? entry.results.flatMap(({ content }) => ('ref' in content ? [content.ref] : [])) : [],
  );
}

/** Inserts the texts into an entry. `textOf` must know every ref that `textRefs` returned. */
export function resolveEntry(entry: TranscriptEntry, textOf: (ref: BlobRef) => string): ResolvedEntry {
  return entry.kind === 'toolResults' ? resolveResults(entry, textOf) : entry;
}

function resolveResults(entry: ToolResultsEntry, textOf: (ref: BlobRef) => string): ResolvedToolResults {
  const results = entry.results.map(({ callId, isError, content }) => ({
    callId,
    isError,
    text: 'ref' in content ? textOf(content.ref) : content.text,
  }));
  return { kind: 'toolResults', results };
}

/** Returns an agent's effective prompt, tools and model: those of its opening with all later changes applied. */
export function effectiveOpening(
  opening: OpeningEntry,
  entries: readonly (ResolvedEntry | ChangeEntry)[],
): Pick<OpeningEntry, 'prompt' | 'tools' | 'model'> {
  const { prompt, tools, model } = opening;
  return entries.reduce(
    (current, entry) =>
      entry.kind === 'change'
        ? { prompt, tools: entry.tools ?? current.tools, model: entry.model ?? current.model }
        : current,
    { prompt, tools, model },
  );
}

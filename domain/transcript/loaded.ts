import type { BlobRef } from '../store/blob-ref';
import type { ChangeEntry, NoteEntry, OpeningEntry, ReplyEntry, ToolResultsEntry, TranscriptEntry } from './entry';
import type { TranscriptLink } from './chain';

/** A tool result whose text has been loaded. */
export interface ResolvedToolResult {
  readonly callId: string;
  readonly isError: boolean;
  readonly text: string;
}

/** Like `ToolResultsEntry`, but with the text of every result. */
export interface ResolvedToolResults {
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

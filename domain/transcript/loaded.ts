import type { BlobRef } from '../store/blob-ref';
import type { ChangeEntry, NoteEntry, OpeningEntry, ReplyEntry, ToolResultsEntry, TranscriptEntry } from './entry';
import type { TranscriptLink } from './link';

export interface ResolvedToolResult {
  readonly callId: string;
  readonly isError: boolean;
  readonly text: string;
}

export interface ResolvedToolResults {
  readonly kind: 'toolResults';
  readonly results: readonly ResolvedToolResult[];
}

/** An entry with every text in it, wherever that was kept. */
export type ResolvedEntry = OpeningEntry | NoteEntry | ChangeEntry | ReplyEntry | ResolvedToolResults;

/** A text that an entry refers to, fetched. */
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

/** A conversation as far as its head, all of it verified. Immutable: appending gives another one. */
export interface LoadedTranscript {
  readonly head: BlobRef;
  /** Links, that is: one for the opening and one for each model call. */
  readonly length: number;
  readonly opening: OpeningEntry;
  /** In order, the opening first. */
  readonly entries: readonly ResolvedEntry[];
  readonly steps: readonly ChainStep[];
  /** About what it takes in memory. */
  readonly bytes: number;
}

/** Refs of the texts that the entries do not hold themselves. */
export function textRefs(entries: readonly TranscriptEntry[]): BlobRef[] {
  return entries.flatMap((entry) =>
    entry.kind === 'toolResults' ? entry.results.flatMap(({ content }) => ('ref' in content ? [content.ref] : [])) : [],
  );
}

/** Puts the texts in; `textOf` knows every ref that `textRefs` named. */
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

import type { LRUCache } from 'lru-cache';
import type { BlobRef } from '../../domain/store';
import type { LoadedTranscript } from '../../domain/transcript';
import { idleCache } from '../idle-entries';

const defaultBytes = 64 * 1024 * 1024;

/**
 * Caches the transcripts, and the texts not yet appended to one, that this process recently used, for all its runs.
 * Transcripts of one run share texts, and each text is counted for every transcript, so the cache uses less memory than
 * `maxBytes`, never more.
 */
export class TranscriptCache {
  private readonly transcripts: LRUCache<string, LoadedTranscript>;
  private readonly texts: LRUCache<string, string>;

  /** `maxBytes` is the limit for transcripts; texts may use a quarter of it in addition. Default: 64 MiB. */
  constructor(maxBytes: number = defaultBytes) {
    const textBytes = Math.max(1, Math.floor(maxBytes / 4));
    this.transcripts = idleCache({ maxSize: maxBytes, sizeCalculation: ({ bytes }) => bytes });
    this.texts = idleCache({ maxSize: textBytes, sizeCalculation: (text) => 100 + 2 * text.length });
  }

  transcript(runId: string, head: BlobRef): LoadedTranscript | undefined {
    return this.transcripts.get(key(runId, head.hash));
  }

  keep(runId: string, transcript: LoadedTranscript): void {
    this.transcripts.set(key(runId, transcript.head.hash), transcript);
  }

  /**
   * Caches a transcript after an append: it will be requested next. Its predecessor stays for a retry; the one before
   * that is dropped.
   */
  keepAppended(runId: string, transcript: LoadedTranscript): void {
    this.keep(runId, transcript);
    const old = transcript.steps[transcript.length - 3];
    if (old) this.transcripts.delete(key(runId, old.ref.hash));
  }

  text(runId: string, ref: BlobRef): string | undefined {
    return this.texts.get(key(runId, ref.hash));
  }

  keepText(runId: string, ref: BlobRef, text: string): void {
    this.texts.set(key(runId, ref.hash), text);
  }
}

// The hash comes first because it has a fixed length, so two different pairs never make the same key.
function key(runId: string, hash: string): string {
  return `${hash} ${runId}`;
}

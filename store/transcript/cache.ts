import { LRUCache } from 'lru-cache';
import type { BlobRef } from '../../domain/store/blob-ref';
import type { LoadedTranscript } from '../../domain/transcript/loaded';

const defaultBytes = 64 * 1024 * 1024;

/**
 * Transcripts, and texts on their way into one, that this process has read lately; shared by all its runs. Transcripts
 * of one run share their texts, which are counted for each: the cache holds less than it is allowed, never more.
 */
export class TranscriptCache {
  private readonly transcripts: LRUCache<string, LoadedTranscript>;
  private readonly texts: LRUCache<string, string>;

  constructor(maxBytes: number = defaultBytes) {
    const textBytes = Math.max(1, Math.floor(maxBytes / 4));
    this.transcripts = new LRUCache({ maxSize: maxBytes, sizeCalculation: ({ bytes }) => bytes });
    this.texts = new LRUCache({ maxSize: textBytes, sizeCalculation: (text) => 100 + 2 * text.length });
  }

  transcript(runId: string, head: BlobRef): LoadedTranscript | undefined {
    return this.transcripts.get(key(runId, head.hash));
  }

  keep(runId: string, transcript: LoadedTranscript): void {
    this.transcripts.set(key(runId, transcript.head.hash), transcript);
  }

  /** An appended one, which will be asked for next. Its predecessor stays, for a retry; the one before that goes. */
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

// The hash comes first because it has a fixed length: no run id can make two keys alike.
function key(runId: string, hash: string): string {
  return `${hash} ${runId}`;
}

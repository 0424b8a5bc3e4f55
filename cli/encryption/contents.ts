import { LRUCache } from 'lru-cache';
import type { BlobRef, Store } from '../../domain/store';
import { decodeUtf8 } from '../../store/blobs';

/** A content, and the run that has it. */
interface FoundContent {
  readonly runId: string;
  readonly bytes: Uint8Array;
}

/** Runs that are looked through for a content, newest first. */
const searchedRuns = 100;
const listIsFreshMs = 5_000;

/**
 * Finds what references point to. A reference does not say which run it belongs to, and the Web UI does not say which one
 * it shows. So the runs are tried that the same payloads mention, then those of earlier answers, then the newest ones.
 */
export class Contents {
  private readonly runs = new LRUCache<string, true>({ max: 50 });
  private readonly runOf = new LRUCache<string, string>({ max: 10_000 });
  private listed: { readonly at: number; readonly runs: Promise<readonly string[]> } | undefined;

  constructor(private readonly store: Store) {}

  /** Returns a content; undefined if no run has it. `mentioned` are ids of runs that may have it. */
  async find(ref: BlobRef, mentioned: readonly string[]): Promise<FoundContent | undefined> {
    const known = this.runOf.get(ref.hash);
    const first = [...(known === undefined ? [] : [known]), ...mentioned, ...this.runs.keys()];
    const runId = (await this.firstWith(ref, first)) ?? (await this.firstWith(ref, await this.newest()));
    if (runId === undefined) return undefined;
    this.runOf.set(ref.hash, runId);
    this.runs.set(runId, true);
    return { runId, bytes: await this.read(runId, ref) };
  }

  read(runId: string, ref: BlobRef): Promise<Uint8Array> {
    return this.store.forRun(runId).get(ref, 'the codec server');
  }

  private async firstWith(ref: BlobRef, runIds: readonly string[]): Promise<string | undefined> {
    for (const runId of new Set(runIds)) {
      // What a payload mentions as a run may be anything.
      const hasIt = await Promise.resolve()
        .then(() => this.store.forRun(runId).has(ref))
        .catch(() => false);
      if (hasIt) return runId;
    }
    return undefined;
  }

  private newest(): Promise<readonly string[]> {
    if (this.listed === undefined || Date.now() - this.listed.at > listIsFreshMs) {
      const runs = this.store.listRuns().then((all) =>
        [...all]
          .sort((one, other) => other.lastWrittenAt - one.lastWrittenAt)
          .slice(0, searchedRuns)
          .map(({ runId }) => runId),
      );
      this.listed = { at: Date.now(), runs };
    }
    return this.listed.runs;
  }
}

/** Returns a content as text, and whether it was cut; undefined if it is not text. */
export function textIn(bytes: Uint8Array, maxCharacters: number): { text: string; isCut: boolean } | undefined {
  const text = decodeUtf8(bytes);
  if (text === undefined) return undefined;
  return { text: text.slice(0, maxCharacters), isCut: text.length > maxCharacters };
}

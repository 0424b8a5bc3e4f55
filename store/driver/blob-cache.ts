import type { LRUCache } from 'lru-cache';
import type { BlobRef } from '../../domain/store';
import { idleCache } from '../idle-entries';

/** An entry may have at most this part of the whole cache, so that one large blob does not push everything else out. */
const largestPart = 8;

/**
 * Contents of blobs that this process read from a store on the network, bounded by bytes. They never go stale, because
 * a blob is addressed by its hash, and only what was compared with its hash gets in.
 */
export class BlobCache {
  private readonly kept: LRUCache<string, Uint8Array>;

  constructor(bytes: number, idleMs?: number) {
    const sizes = { maxSize: bytes, maxEntrySize: Math.ceil(bytes / largestPart) };
    this.kept = idleCache({ ...sizes, sizeCalculation: (content) => content.byteLength + 200 }, idleMs);
  }

  /** Returns a blob. A ref with a different size is wrong; the store reports it. */
  get(runId: string, ref: BlobRef): Uint8Array | undefined {
    const kept = this.kept.get(keyOf(runId, ref));
    return kept?.byteLength === ref.bytes ? kept : undefined;
  }

  set(runId: string, ref: BlobRef, bytes: Uint8Array): void {
    this.kept.set(keyOf(runId, ref), bytes);
  }
}

// The hash comes first because it has a fixed length: no run id can make two keys alike.
const keyOf = (runId: string, { hash }: BlobRef): string => `${hash} ${runId}`;

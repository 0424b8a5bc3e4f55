import type { LRUCache } from 'lru-cache';

type Options = Pick<LRUCache.OptionsBase<string, object, unknown>, 'ttl' | 'updateAgeOnGet' | 'ttlAutopurge'>;

/**
 * Options of caches of what agents need in every turn. An entry that nobody has used for ten minutes is dropped: its run has
 * ended, or waits for a person. Without this, a worker would keep the data of ended runs until a cache is full.
 */
export function droppedWhenIdle(idleMs = 10 * 60_000): Required<Options> {
  return { ttl: idleMs, updateAgeOnGet: true, ttlAutopurge: true };
}

import { LRUCache } from 'lru-cache';

type Options<Value> = Pick<
  LRUCache.OptionsBase<string, NonNullable<Value>, unknown>,
  'max' | 'maxSize' | 'maxEntrySize' | 'sizeCalculation'
>;

const defaultIdleMs = 10 * 60_000;
/** How often a cache looks for entries to drop while one may live: this many times. */
const looksPerLife = 10;

/**
 * Creates a cache of what agents need in every turn. An entry that nobody has used for ten minutes is dropped: its run has
 * ended, or waits for a person. Without this, a worker would keep the data of ended runs until a cache is full.
 *
 * One timer serves the whole cache. A timer of each entry's own would keep the activity that made the entry in memory, with
 * everything that it had been given.
 */
export function idleCache<Value>(
  options: Options<Value>,
  idleMs = defaultIdleMs,
): LRUCache<string, NonNullable<Value>> {
  const cache = new LRUCache<string, NonNullable<Value>>({
    ...options,
    ttl: idleMs,
    ttlAutopurge: false,
    updateAgeOnGet: true,
  });
  const kept = new WeakRef(cache);
  const timer = setInterval(() => {
    const still = kept.deref();
    if (still === undefined) clearInterval(timer);
    else still.purgeStale();
  }, idleMs / looksPerLife);
  timer.unref();
  return cache;
}

import { LRUCache } from 'lru-cache';

/**
 * Creates a cache of the entries used last, up to this many. The option `max` of a cache takes the memory for all of them
 * when it is created, and the milliseconds to fill it, though most workers and nearly all commands use a small part.
 */
export function growingCache<Value extends object | true>(
  entries: number,
  options: { readonly ttl?: number } = {},
): LRUCache<string, Value> {
  return new LRUCache<string, Value>({ ...options, maxSize: entries, sizeCalculation: () => 1 });
}

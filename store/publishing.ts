import type { RunStore } from '../domain/store';

/** Publishes everything that is written to a run's store, and leaves it to `flush` to make it durable. */
export function publishing(store: RunStore): RunStore {
  const later = { later: true } as const;
  return {
    runId: store.runId,
    put: (bytes, mediaType) => store.put(bytes, mediaType, later),
    get: (ref, neededBy) => store.get(ref, neededBy),
    has: (ref) => store.has(ref),
    putIfAbsent: (key, bytes) => store.putIfAbsent(key, bytes, later),
    find: (key) => store.find(key),
    flush: () => store.flush(),
    expectWrites: (count) => store.expectWrites?.(count),
    entries: (kind) => store.entries(kind),
    verify: () => store.verify(),
    ...(store.volatile === undefined ? {} : { volatile: store.volatile }),
  };
}

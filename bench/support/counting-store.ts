import type { RunStore, Store } from '../../domain/store';

/** Counts the requests to a store, below the worker's cache, and the bytes that they carry. */
export class CountingStore {
  requests = 0;
  bytes = 0;
  readonly store: Store;

  constructor(store: Store) {
    this.store = { ...store, forRun: (runId) => this.counting(store.forRun(runId)) };
  }

  private counting(run: RunStore): RunStore {
    const count = <T>(request: Promise<T>, sent = 0): Promise<T> => {
      this.requests += 1;
      this.bytes += sent;
      return request.then((answer) => {
        if (answer instanceof Uint8Array) this.bytes += answer.byteLength;
        return answer;
      });
    };
    return {
      runId: run.runId,
      put: (bytes, mediaType, options) => count(run.put(bytes, mediaType, options), bytes.byteLength),
      get: (ref, neededBy) => count(run.get(ref, neededBy)),
      has: (ref) => count(run.has(ref)),
      putIfAbsent: (key, bytes, options) => count(run.putIfAbsent(key, bytes, options)),
      find: (key) => count(run.find(key)),
      flush: () => count(run.flush()),
      entries: (kind, known) => run.entries(kind, known),
      verify: () => run.verify(),
      ...(run.volatile === undefined ? {} : { volatile: run.volatile }),
    };
  }
}

import type { RunStore, Store } from '../domain/store';
import { publishing } from '../store/publishing';
import type { SharedDependencies } from './dependencies';

/**
 * Runs an activity that writes several times. What it writes is published at once, so that a later attempt finds it even
 * if this worker is killed, and all of it is made durable in one go before the activity ends. So its writes take as long
 * as one.
 *
 * A record that refers to what was written before it must not survive without that. Where a later attempt only looks for
 * the record, instead of writing everything again, flush before writing it.
 */
export async function flushed<Result>(
  dependencies: SharedDependencies,
  work: (dependencies: SharedDependencies) => Promise<Result>,
): Promise<Result> {
  const used: RunStore[] = [];
  const flush = async (): Promise<void> => {
    await Promise.all(used.map((run) => run.flush()));
  };
  const store = publishingStore(dependencies.store, used, flush);
  const uncachedStore = publishingStore(dependencies.uncachedStore, used, flush);
  let result: Result;
  try {
    result = await work({ ...dependencies, store, uncachedStore, flush });
  } catch (error) {
    // The failure of the work says more than one of the store.
    await flush().catch(() => undefined);
    throw error;
  }
  await flush();
  return result;
}

/**
 * A store whose runs publish what is written. A run is opened once per activity, so that what was written is known to
 * all parts of the work, and `flush` of any run makes everything durable: a record in one store may refer to a blob that
 * was written through the other.
 */
function publishingStore(store: Store, used: RunStore[], flush: () => Promise<void>): Store {
  const open = new Map<string, RunStore>();
  return {
    id: store.id,
    checkWritable: () => store.checkWritable(),
    listRuns: () => store.listRuns(),
    deleteRun: (runId, confirm) => store.deleteRun(runId, confirm),
    forRun(runId) {
      const known = open.get(runId);
      if (known !== undefined) return known;
      const run = store.forRun(runId);
      used.push(run);
      const publishes = { ...publishing(run), flush };
      open.set(runId, publishes);
      return publishes;
    },
  };
}

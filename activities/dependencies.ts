import type { StoreLocation } from './interface';
import { OtherStoreError } from '../domain/store/errors';
import type { RunStore, Store } from '../domain/store/store';
import type { ModelPort } from './ports';
import type { Tool } from './tools/tool';

/** What the activities work with; wired together in worker/. */
export interface ActivityDependencies {
  readonly store: Store;
  readonly model: ModelPort;
  readonly tools: readonly Tool[];
  /** Whether the namespace has Baton's search attributes. */
  readonly searchAttributes: boolean;
}

/** The run's part of the store, after making sure that it is the store the run was started with. */
export function storeAt(store: Store, { runId, storeId }: StoreLocation): RunStore {
  if (store.id !== storeId) throw new OtherStoreError(storeId, store.id);
  return store.forRun(runId);
}

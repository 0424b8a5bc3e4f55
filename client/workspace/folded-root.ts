import type { BlobRef } from '../../domain/store/blob-ref';
import type { RunStore } from '../../domain/store/store';
import { foldChanges } from '../../store/workspace/fold';
import type { RunWorkspace } from './run-files';

/** Folds a run's pending changes and returns the new root. */
export function foldedRoot(store: RunStore, { root, changes }: RunWorkspace): Promise<BlobRef> {
  return foldChanges(store, root, changes);
}

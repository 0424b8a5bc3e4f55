import type { InputOf, ResultOf } from '../../domain/kernel';
import { loadOutputActivity, type storeOutputActivity } from '../../domain/relay';
import type { BlobRef } from '../../domain/store';
import { getJson, putJson } from '../../store/blobs';
import { runStoreFor, type SharedDependencies } from '../dependencies';

/** Stores the values that a relay uses of a step. */
export function storeOutput(
  { store }: SharedDependencies,
  { values, ...location }: InputOf<typeof storeOutputActivity>,
): Promise<BlobRef> {
  return putJson(runStoreFor(store, location), values);
}

/** Loads the values that a relay uses of a step. */
export function loadOutput(
  { store }: SharedDependencies,
  { ref, ...location }: InputOf<typeof loadOutputActivity>,
): Promise<ResultOf<typeof loadOutputActivity>> {
  return getJson(runStoreFor(store, location), ref, loadOutputActivity.result, 'output of a step');
}

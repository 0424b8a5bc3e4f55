import type { InputOf } from '../../domain/kernel';
import {
  type findWritersActivity,
  type storeWritersActivity,
  type Writers,
  type WritersPage,
  writersPageSchema,
} from '../../domain/session';
import type { BlobRef } from '../../domain/store';
import { getJson, putJson } from '../../store/blobs';
import { runStoreFor, type SharedDependencies } from '../dependencies';

/** Stores writers of a shared session as a page that refers to the page before. */
export function storeWriters(
  { store }: SharedDependencies,
  { previous, writers, ...location }: InputOf<typeof storeWritersActivity>,
): Promise<BlobRef> {
  return putJson(runStoreFor(store, location), { previous, writers });
}

/** Looks writers up, newest page first: a writer that wrote again after it was stored is on several pages. */
export async function findWriters(
  { store }: SharedDependencies,
  { page, names, ...location }: InputOf<typeof findWritersActivity>,
): Promise<Writers> {
  const runStore = runStoreFor(store, location);
  const found: Record<string, Writers[string]> = {};
  for (let next: BlobRef | null = page; next !== null;) {
    const { previous, writers }: WritersPage = await getJson(
      runStore,
      next,
      writersPageSchema,
      'writers of a shared session',
    );
    for (const name of names) {
      const state = Object.hasOwn(writers, name) && !Object.hasOwn(found, name) ? writers[name] : undefined;
      if (state !== undefined) found[name] = state;
    }
    next = Object.keys(found).length === names.length ? null : previous;
  }
  return found;
}

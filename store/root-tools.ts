import { canonicalJson } from '../domain/json';
import { blobRefSchema, type BlobRef } from '../domain/store/blob-ref';
import type { RunStore } from '../domain/store/store';
import { toolDescriptionSchema, type ToolDescription } from '../domain/tool/description';
import { getJson } from './json-blobs';

const key = 'root-tools';

/** Keeps which tools the root of the run has: the most that anyone below it can get. */
export async function putRootTools(store: RunStore, toolList: BlobRef): Promise<void> {
  await store.putIfAbsent(key, Buffer.from(canonicalJson(toolList)));
}

export async function findRootTools(store: RunStore): Promise<BlobRef | undefined> {
  const found = await store.find(key);
  return found === undefined ? undefined : blobRefSchema.parse(JSON.parse(Buffer.from(found).toString('utf8')));
}

export async function getRootTools(store: RunStore): Promise<ToolDescription[]> {
  const ref = await findRootTools(store);
  return ref === undefined ? [] : getJson(store, ref, toolDescriptionSchema.array(), 'tools of the root');
}

import { canonicalJson } from '../domain/kernel/canonical-json';
import { blobRefSchema, type BlobRef } from '../domain/store/blob-ref';
import type { RunStore } from '../domain/store/store';
import { toolDescriptionSchema, type ToolDescription } from '../domain/tool/description';
import { getJson } from './blobs';

const key = 'root-tools';

/** Stores the root agent's tool list: no agent of the run may have more tools than the root agent. */
export async function putRootTools(store: RunStore, toolList: BlobRef): Promise<void> {
  await store.putIfAbsent(key, Buffer.from(canonicalJson(toolList)));
}

/** Returns the ref of the root agent's tool list; undefined when none is stored. */
export async function findRootTools(store: RunStore): Promise<BlobRef | undefined> {
  const found = await store.find(key);
  return found === undefined ? undefined : blobRefSchema.parse(JSON.parse(Buffer.from(found).toString('utf8')));
}

/** Loads the root agent's tools; empty when none are stored. */
export async function getRootTools(store: RunStore): Promise<ToolDescription[]> {
  const ref = await findRootTools(store);
  return ref === undefined ? [] : getJson(store, ref, toolDescriptionSchema.array(), 'tools of the root');
}

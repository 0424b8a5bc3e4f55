import type { RunStore } from '../../domain/store';
import { type DeferredTools, type ToolDescription, toolDescriptionSchema } from '../../domain/tool';
import { getJson, putJson } from '../../store/blobs';

/** Loads the descriptions of deferred tools; none if there are none. */
export async function readDeferred(
  store: RunStore,
  deferred: DeferredTools | undefined,
): Promise<readonly ToolDescription[]> {
  if (deferred === undefined) return [];
  return getJson(store, deferred.list, toolDescriptionSchema.array(), 'deferred tools of the agent');
}

/** Stores the descriptions of deferred tools, as part of an object from which they are omitted if there are none. */
export async function storeDeferred(
  store: RunStore,
  deferred: readonly ToolDescription[],
): Promise<{ deferred?: DeferredTools }> {
  return deferred.length === 0 ? {} : { deferred: { list: await putJson(store, deferred), count: deferred.length } };
}

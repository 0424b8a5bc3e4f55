import type { Client } from '@temporalio/client';
import type { Store } from '../domain/store';
import { openStore, storeExists } from '../store/open-store';
import type { Settings } from '../temporal-config/node/settings';
import { SetupError } from '../temporal-config/node/setup-error';
import { searchAttributes } from '../temporal-config/search-attributes';
import { overview } from '../temporal-config/node/overview';

/** Opens the store of a worker. If it can't be used, closes the connection and throws. */
export async function openWorkerStore(
  { client, close }: { readonly client: Client; close(): Promise<void> },
  settings: Settings,
): Promise<Store> {
  try {
    await requireStoreOfOpenRuns(client, settings);
    return await openStore(settings);
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Throws if the worker would create a new store although runs of its task queue are open whose data is in another one: most
 * likely, the volume is not mounted. New runs would be written to the folder beneath it, and the open ones could not
 * continue.
 */
export async function requireStoreOfOpenRuns(
  client: Client,
  { store, taskQueue }: Pick<Settings, 'taskQueue'> & { readonly store: Pick<Settings['store'], 'address' | 'shown'> },
): Promise<void> {
  if (await storeExists({ store })) return;
  const runId = await findOpenedRun(client, taskQueue);
  if (runId === undefined) return;
  throw new SetupError(
    `${store.shown} is not a store, but the data of open runs of task queue "${taskQueue}" is in one (${runId}, for example)`,
    'Mount the volume of the store, or set BATON_STORE_DIR to its folder. If the store is lost, these runs cannot continue: terminate them first.',
  );
}

/** Returns an open run that a worker has opened, so that a store has its data. A run that still waits for one does not count. */
async function findOpenedRun(client: Client, taskQueue: string): Promise<string | undefined> {
  const { run, prompt, depth } = searchAttributes;
  const query = `TaskQueue = ${JSON.stringify(taskQueue)} AND ExecutionStatus = "Running" AND ${depth.name} = 0 AND ${prompt.name} IS NOT NULL`;
  try {
    for await (const { typedSearchAttributes, workflowId } of overview(client).list({ query, pageSize: 1 }))
      return typedSearchAttributes.get(run) ?? workflowId;
  } catch {
    // Without the search attributes nobody can tell.
  }
  return undefined;
}

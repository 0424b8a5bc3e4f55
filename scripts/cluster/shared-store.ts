import { join } from 'node:path';
import type { Store } from '../../domain/store';
import { openFileStore } from '../../store/file/open-file-store';

/** Returns what programs need to know to use the store of the cluster. */
export function storeEnvironment(folder: string): Record<string, string> {
  return { BATON_STORE_DIR: join(folder, 'store') };
}

/** Opens the store of the cluster, to look at results from outside. */
export function openSharedStore(env: Readonly<Record<string, string>>): Promise<Store> {
  return openFileStore(env['BATON_STORE_DIR'] ?? '');
}

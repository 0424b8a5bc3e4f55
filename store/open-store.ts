import type { Store } from '../domain/store';
import { parseStoreAddress, type PostgresAddress, type S3Address, shownAddress } from './address';
import { BlobCache } from './driver/blob-cache';
import { driverStore, type DriverStoreOptions } from './driver/driver-store';
import type { StoreDriver } from './driver/ports';
import type { Migrated } from './postgres/migrate';
import type { PostgresOptions } from './postgres/open-postgres';
import type { FileStoreOptions } from './file/open-file-store';

/** The settings of a store, usually from `readSettings`. */
export interface StoreSettings {
  readonly store: {
    /** Address of the store, with password: `file:<folder>`, `postgres://…` or `s3://…`. */
    readonly address: string;
  };
  /** Keys that the store is encrypted with. Default: none. */
  readonly encryption?: DriverStoreOptions['encryption'];
}

/** Options of `openStore`. */
export interface OpenStoreOptions {
  /** How files are read and written, if the store is a folder. Default: as in a worker. */
  readonly files?: Omit<FileStoreOptions, 'encryption'>;
}

/**
 * Opens the store that the settings name: the only place that knows which drivers there are. A driver is loaded when it is
 * named. Throws a `StoreError` if the store can't be used, and an `InvalidInputError` if the address makes no sense.
 *
 * @example
 * const store = await openStore(readSettings());
 * for (const { runId } of await store.listRuns()) console.log(runId);
 * await store.close?.();
 */
export async function openStore(settings: StoreSettings, { files }: OpenStoreOptions = {}): Promise<Store> {
  const { store, encryption } = settings;
  const { address } = store;
  const options = { encryption };
  const parsed = parseStoreAddress(address);
  if (parsed.kind === 'file') {
    const { openFileStore } = await import('./file/open-file-store.js');
    return openFileStore(parsed.folder, { ...options, ...files });
  }
  const driver = parsed.kind === 'postgres' ? await postgres(parsed) : await s3(parsed, shownAddress(address));
  return driverStore(driver, { ...options, cache: new BlobCache(parsed.cacheBytes) });
}

/** Whether the store exists, so that opening it does not create it. Only of a folder this is not sure. */
export async function storeExists({ store }: StoreSettings): Promise<boolean> {
  const parsed = parseStoreAddress(store.address);
  if (parsed.kind !== 'file') return true;
  const { isFileStore } = await import('./file/open-file-store.js');
  return isFileStore(parsed.folder);
}

async function postgres(address: PostgresAddress): Promise<StoreDriver> {
  const { openPostgres } = await import('./postgres/open-postgres.js');
  return openPostgres(postgresOptions(address));
}

async function s3({ journal, ...bucket }: S3Address, location: string): Promise<StoreDriver> {
  if (journal === undefined) {
    const { openS3Alone } = await import('./s3/open-s3-alone.js');
    return openS3Alone({ ...bucket, location });
  }
  const { openS3 } = await import('./s3/open-s3.js');
  return openS3({ ...bucket, location }, postgresOptions(journal));
}

/** The options for the database of a store. */
function postgresOptions({ url, schema, pool, timeoutMs, migrates }: PostgresAddress): PostgresOptions {
  return { url, location: shownAddress(url), schema, pool, timeoutMs, migrates };
}

/**
 * Creates or changes the tables of a store. Returns their versions before and after; undefined if the store has none, and
 * nothing has to be done.
 */
export async function migrateStore({ store }: StoreSettings): Promise<Migrated | undefined> {
  const parsed = parseStoreAddress(store.address);
  const address = parsed.kind === 's3' ? parsed.journal : parsed;
  if (address?.kind !== 'postgres') return undefined;
  const { Database } = await import('./postgres/database.js');
  const { migrate } = await import('./postgres/migrate.js');
  const database = await Database.open(postgresOptions(address));
  try {
    return await migrate(database);
  } finally {
    await database.close();
  }
}

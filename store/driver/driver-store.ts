import type { RunStore, Store, StoredRun } from '../../domain/store';
import type { BlobCache } from './blob-cache';
import { DriverRunStore } from './driver-run-store';
import type { StoreDriver } from './ports';
import { plainSealing, type Sealing } from './sealing';

/** How a store uses its driver. */
export interface DriverStoreOptions {
  /** Default: everything is stored as it is. */
  readonly sealing?: Sealing;
  /** For drivers that read over a network. Default: none. */
  readonly cache?: BlobCache;
}

/** Makes a store of a driver. */
export function driverStore(driver: StoreDriver, { sealing = plainSealing, cache }: DriverStoreOptions = {}): Store {
  return {
    id: driver.id,
    forRun: (runId): RunStore => new DriverRunStore(runId, driver.forRun(runId), sealing, cache),
    checkWritable: () => driver.checkWritable(),
    listRuns: (): Promise<readonly StoredRun[]> => driver.listRuns(),
    deleteRun: (runId, confirm) => driver.deleteRun(runId, confirm),
    close: async () => driver.close?.(),
  };
}

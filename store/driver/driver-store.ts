import type { RunStore, Store, StoredRun } from '../../domain/store';
import type { KeyRing } from '../../encryption/key-ring';
import type { BlobCache } from './blob-cache';
import { DriverRunStore } from './driver-run-store';
import { encryptingSealing } from './encrypting-sealing';
import type { StoreDriver } from './ports';
import { plainSealing } from './sealing';

/** How a store uses its driver. */
export interface DriverStoreOptions {
  /** Keys that everything is encrypted with. Default: everything is stored as it is. */
  readonly encryption?: KeyRing | undefined;
  /** For drivers that read over a network. Default: none. */
  readonly cache?: BlobCache;
}

/** Makes a store of a driver. */
export function driverStore(driver: StoreDriver, { encryption, cache }: DriverStoreOptions = {}): Store {
  const sealing = encryption === undefined ? plainSealing : encryptingSealing(encryption);
  return {
    id: driver.id,
    isEncrypted: encryption !== undefined,
    forRun: (runId): RunStore => new DriverRunStore(runId, driver.forRun(runId), sealing, cache),
    checkWritable: () => driver.checkWritable(),
    listRuns: (): Promise<readonly StoredRun[]> => driver.listRuns(),
    deleteRun: (runId, confirm) => driver.deleteRun(runId, confirm),
    close: async () => driver.close?.(),
  };
}

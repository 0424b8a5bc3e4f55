import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { formatBytes, plural } from '../../client/format';
import { mediaTypes, type Store } from '../../domain/store';
import type { CliContext } from '../context';
import { storeRemedy } from '../explain';
import type { Check } from './checks';

/** Writes and reads a blob, because wrong permissions and a full disk show only then. */
export function storeCheck(context: CliContext): Check {
  return {
    name: 'Store',
    async run() {
      const { folder, shown } = context.settings().store;
      // Opening it would create it, also where a volume is not mounted at the moment.
      if (folder !== undefined && !existsSync(join(folder, 'store.json'))) return missingStore(folder);
      const store = await context.openStore();
      try {
        await tryStore(store);
        const runs = plural((await store.listRuns()).length, 'run');
        if (folder === undefined) return { state: 'ok', detail: `${shown}, ${runs}, id ${store.id}` };
        return await checkSpace(folder, `${runs}, id ${store.id}`);
      } finally {
        await store.close?.();
      }
    },
  };
}

async function tryStore(store: Store): Promise<void> {
  const probe = `doctor-${randomUUID()}`;
  const run = store.forRun(probe);
  try {
    await run.get(await run.put(Buffer.from(probe), mediaTypes.text), 'doctor');
  } finally {
    await store.deleteRun(probe);
  }
}

async function checkSpace(folder: string, about: string): ReturnType<Check['run']> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const detail = `${folder}, ${formatBytes(free)} free, ${about}`;
  return free > 1024 ** 3
    ? { state: 'ok', detail }
    : { state: 'warn', detail, fix: 'Free some space, for example with: baton gc --older-than 30d' };
}

/** A worker creates a missing store, if it can: some folders exist in which nothing can be created. */
async function missingStore(storeDir: string): ReturnType<Check['run']> {
  let existing = dirname(storeDir);
  while (!existsSync(existing)) existing = dirname(existing);
  try {
    await rm(await mkdtemp(join(existing, '.baton-check-')), { recursive: true });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { state: 'fail', detail: `${storeDir} can't be created: ${reason}`, fix: storeRemedy };
  }
  const fix = 'A worker creates the store when it starts. If there was one before, check that its volume is mounted.';
  return { state: 'warn', detail: `${storeDir} contains no store`, fix };
}

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { StoreUnavailableError, WrongStoreError } from '../../domain/store';
import { type Disk, manifestFile } from './disk';
import { removeQuietly, temporaryName, writeDurably } from './file-system';
import { hasCode, undefinedIfMissing } from './os-errors';

/**
 * Layout version of the store. Version 1 spread blobs over several folders, and prompts over several records; version 2
 * journaled what was derived from an answer instead of the answer, and had other transcript packs; version 3 had journal
 * files whose names did not show their kind.
 */
const version = 4;
const manifestSchema = z.object({ id: z.uuid(), version: z.int().positive() });

/** Names allowed in the folder of a new store: temporary files, and what a freshly formatted volume contains. */
const harmless = /^(?:[0-9a-f-]{36}\.tmp|lost\+found)$/;

/** Reads the id of the store in this folder; undefined when the folder is not a store. */
export async function readStoreId({ root, files }: Disk): Promise<string | undefined> {
  const bytes = await undefinedIfMissing(files.readFile(manifestFile(root)));
  return bytes === undefined ? undefined : parseManifest(root, bytes.toString('utf8'));
}

function parseManifest(root: string, text: string): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new StoreUnavailableError(root, 'its store.json is damaged (not JSON)');
  }
  const manifest = manifestSchema.safeParse(value);
  if (!manifest.success) throw new StoreUnavailableError(root, 'its store.json is damaged (no id or no version)');
  if (manifest.data.version > version) {
    throw new StoreUnavailableError(root, `it has layout version ${manifest.data.version}, written by a newer Baton`);
  }
  if (manifest.data.version < version) {
    const reason = `it has layout version ${manifest.data.version}, written by an earlier Baton, which this version cannot read`;
    throw new StoreUnavailableError(root, `${reason}; use an empty folder, or the version of Baton that created it`);
  }
  return manifest.data.id;
}

/** Turns the folder into a store and returns its id. When several processes do so at once, all return the same id. */
export async function createStoreId(disk: Disk): Promise<string> {
  const { root, files, folders } = disk;
  const names = await files.readdir(root);
  if (!names.includes('store.json') && !names.every((name) => harmless.test(name))) {
    throw new StoreUnavailableError(root, 'the folder is not a store: it is not empty and has no store.json');
  }
  const temporary = join(root, temporaryName());
  const manifest = `${JSON.stringify({ id: randomUUID(), version })}\n`;
  await writeDurably(files, temporary, Buffer.from(manifest, 'utf8'));
  try {
    await files.link(temporary, manifestFile(root));
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  } finally {
    await removeQuietly(files, temporary);
  }
  await folders.sync(root);
  const id = await readStoreId(disk);
  if (id === undefined)
    throw new StoreUnavailableError(root, 'store.json disappeared while the store was being created');
  return id;
}

/**
 * Throws if the store is gone or was replaced by another one. Callers use it to distinguish a lost blob from a volume
 * that is not mounted at the moment.
 */
export async function assertStoreMounted(disk: Disk, id: string): Promise<void> {
  const found = await lookAgain(disk);
  if (found === undefined) throw new StoreUnavailableError(disk.root, 'its store.json is gone; is the volume mounted?');
  if (found !== id) throw new WrongStoreError(id, found);
}

interface Seen {
  readonly id: string;
  /** Identifies the manifest file without reading it. */
  readonly identity: string;
}
const seen = new WeakMap<Disk, Seen>();
const looking = new WeakMap<Disk, Promise<unknown>>();
const due = new WeakMap<Disk, Promise<string | undefined>>();

/**
 * Checks the manifest. Callers share a check that has not started yet, because each of them missed its file before the
 * check starts.
 */
function lookAgain(disk: Disk): Promise<string | undefined> {
  const joined = due.get(disk);
  if (joined !== undefined) return joined;
  const next = (looking.get(disk) ?? Promise.resolve())
    .catch(() => undefined)
    .then(() => {
      due.delete(disk);
      const look = lookNow(disk);
      looking.set(disk, look);
      return look;
    });
  due.set(disk, next);
  return next;
}

/**
 * Reads the manifest only if the file has changed since the last check. Agents look up many keys that do not exist yet,
 * so this runs often.
 */
async function lookNow(disk: Disk): Promise<string | undefined> {
  const file = await undefinedIfMissing(disk.files.stat(manifestFile(disk.root), disk.place));
  if (file === undefined) return undefined;
  const identity = [file.dev, file.ino, file.size, file.ctimeMs].join(' ');
  const before = seen.get(disk);
  if (before?.identity === identity) return before.id;
  const id = await readStoreId(disk);
  if (id !== undefined) seen.set(disk, { id, identity });
  return id;
}

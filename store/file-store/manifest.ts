import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { OtherStoreError, StoreUnavailableError } from '../../domain/store/errors';
import { manifestFile, removeQuietly, temporaryName, writeDurably, type Disk } from './disk';
import { hasCode, unlessAbsent } from './os-errors';

/** Raised when the layout changes. Version 1 spread the blobs over folders, and prompts over several records. */
const version = 2;
const manifestSchema = z.object({ id: z.uuid(), version: z.int().positive() });

/** Names that may stand in a new store's folder: what is being written there, and what a fresh volume comes with. */
const harmless = /^(?:[0-9a-f-]{36}\.tmp|lost\+found)$/;

/** The id of the store in that folder; undefined when there is no store. */
export async function readStoreId({ root, files }: Disk): Promise<string | undefined> {
  const bytes = await unlessAbsent(files.readFile(manifestFile(root)));
  return bytes === undefined ? undefined : parseManifest(root, bytes.toString('utf8'));
}

function parseManifest(root: string, text: string): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new StoreUnavailableError(root, 'its store.json is damaged (no JSON)');
  }
  const manifest = manifestSchema.safeParse(value);
  if (!manifest.success) throw new StoreUnavailableError(root, 'its store.json is damaged (no id or no version)');
  if (manifest.data.version > version) {
    throw new StoreUnavailableError(root, `it has version ${manifest.data.version}, made by a newer Baton`);
  }
  if (manifest.data.version < version) {
    const reason = `it has version ${manifest.data.version}, made by an earlier Baton, in a layout that this one cannot read`;
    throw new StoreUnavailableError(root, `${reason}; use an empty folder, or the Baton that made it`);
  }
  return manifest.data.id;
}

/** Makes the folder a store, unless somebody else does at the same moment; either way, gives back the one id it has now. */
export async function createStoreId(disk: Disk): Promise<string> {
  const { root, files, folders } = disk;
  const names = await files.readdir(root);
  if (!names.includes('store.json') && !names.every((name) => harmless.test(name))) {
    throw new StoreUnavailableError(root, 'it is not a store: the folder has other things in it, and no store.json');
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
  if (id === undefined) throw new StoreUnavailableError(root, 'its store.json went away while it was being made');
  return id;
}

/** Tells a missing file from a missing store: a volume that is not mounted comes back, a lost blob does not. */
export async function assertStillThere(disk: Disk, id: string): Promise<void> {
  const found = await lookAgain(disk);
  if (found === undefined) throw new StoreUnavailableError(disk.root, 'its store.json is gone; is the volume mounted?');
  if (found !== id) throw new OtherStoreError(id, found);
}

interface Seen {
  readonly id: string;
  /** What tells the file from any other, without reading it. */
  readonly identity: string;
}
const seen = new WeakMap<Disk, Seen>();
const looking = new WeakMap<Disk, Promise<unknown>>();
const due = new WeakMap<Disk, Promise<string | undefined>>();

/** A look that has not begun yet covers everyone who asks until it does: each of them missed its file before it. */
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

/** Reads only a file that is not the one read before: agents ask for many keys that are not there yet. */
async function lookNow(disk: Disk): Promise<string | undefined> {
  const file = await unlessAbsent(disk.files.stat(manifestFile(disk.root)));
  if (file === undefined) return undefined;
  const identity = [file.dev, file.ino, file.size, file.ctimeMs].join(' ');
  const before = seen.get(disk);
  if (before?.identity === identity) return before.id;
  const id = await readStoreId(disk);
  if (id !== undefined) seen.set(disk, { id, identity });
  return id;
}

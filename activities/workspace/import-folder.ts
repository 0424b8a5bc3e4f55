import { readlink, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { forEachWithLimit, InvalidInputError } from '../../domain/kernel';
import { type BlobRef, mediaTypes, type RunStore } from '../../domain/store';
import { binaryMediaType, type TreeEntry } from '../../domain/workspace';
import { Trees } from '../../store/workspace/trees';
import { ByteLimit } from './byte-limit';
import { isBinary, readContent } from './ignore-rules';
import { type ImportOptions, type ImportReport, ImportTotals } from './import-limits';
import { scanFolder, type ScannedFolder } from './scan-folder';

/** Maximum files read concurrently. The store syncs its folder once for all that are written at the same time. */
const filesAtATime = 32;
/** Maximum bytes of the files that are in memory at the same time. A single larger file is still imported, alone. */
const bytesAtATime = 16 * 1024 * 1024;
const foldersAtATime = 16;

/**
 * Copies a folder into the run's store as a tree of hashes. Does not write what the store already has, so an
 * interrupted import continues where it stopped. Never writes to the folder itself.
 */
export async function importFolder(
  store: Pick<RunStore, 'runId' | 'get' | 'put'>,
  folder: string,
  options: ImportOptions = {},
): Promise<ImportReport> {
  const root = await realFolder(folder);
  const { include = [], signal } = options;
  const tally = new ImportTotals(options);
  const scanned = await scanFolder(root, include, tally, signal);
  tally.endListing();
  const found = await importContents({ store, root, tally, signal }, scanned);
  const top = await writeTrees(new Trees(store), scanned, found);
  const { files, bytes, tooBig, leftOut } = tally;
  return { root: top, files, bytes, tooBig, leftOut };
}

interface Import {
  readonly store: Pick<RunStore, 'put'>;
  readonly root: string;
  readonly tally: ImportTotals;
  readonly signal: AbortSignal | undefined;
}

/** The imported files, links and folders by path. */
type Found = Map<string, TreeEntry>;

async function realFolder(folder: string): Promise<string> {
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory() === true) return realpath(folder);
  throw new InvalidInputError(
    'workspace',
    `"${folder}" is not a folder on the machine of the worker`,
    'Pass a folder that all workers can read at the same path, such as a shared volume, or run a worker where the folder is.',
  );
}

/** Imports every file and link, and returns them by path. */
async function importContents(work: Import, top: ScannedFolder): Promise<Found> {
  const found = new Map<string, TreeEntry>();
  const add = (path: string, entry: TreeEntry | undefined): void => {
    if (entry !== undefined) found.set(path, entry);
  };
  await forEachWithLimit(allFolders(top), filesAtATime, async ({ links }) => {
    for (const { name, path } of links) add(path, await importLink(work, name, path));
  });
  const memory = new ByteLimit(bytesAtATime);
  const files = allFolders(top).flatMap((folder) => folder.files);
  await forEachWithLimit(files, filesAtATime, async ({ name, path, size }) => {
    const importedBytes = size > work.tally.limits.maxFileBytes ? 0 : size;
    await memory.run(importedBytes, async () => {
      work.signal?.throwIfAborted();
      add(path, await importFile(work, name, path));
    });
  });
  return found;
}

async function importFile({ store, root, tally }: Import, name: string, path: string): Promise<TreeEntry | undefined> {
  const read = await readContent(join(root, path), tally.limits.maxFileBytes);
  if (read.kind === 'gone') return undefined;
  if (read.kind !== 'content') {
    if (read.kind === 'tooBig') tally.tooBig += 1;
    return { name, kind: 'unread', bytes: read.size, reason: read.kind };
  }
  const binary = isBinary(read.bytes);
  const { hash, bytes } = await store.put(read.bytes, binary ? binaryMediaType : mediaTypes.text);
  tally.countFile(bytes);
  return {
    name,
    kind: 'file',
    hash,
    bytes,
    ...(binary ? { binary: true } : {}),
    ...(read.executable ? { executable: true } : {}),
  };
}

async function importLink({ store, root }: Import, name: string, path: string): Promise<TreeEntry | undefined> {
  const target = await readlink(join(root, path), { encoding: 'buffer' }).catch(() => undefined);
  if (target === undefined) return undefined;
  const { hash, bytes } = await store.put(target, binaryMediaType);
  return { name, kind: 'link', hash, bytes };
}

function allFolders(top: ScannedFolder): ScannedFolder[] {
  return levelsOf(top).flat();
}

function levelsOf(top: ScannedFolder): ScannedFolder[][] {
  const levels: ScannedFolder[][] = [];
  for (let level = [top]; level.length > 0; level = level.flatMap(({ folders }) => folders)) levels.push(level);
  return levels;
}

/** Writes the trees from the bottom up, because a folder's tree contains the hashes of its subfolders. */
async function writeTrees(trees: Trees, top: ScannedFolder, found: Found): Promise<BlobRef> {
  const entriesOf = ({ files, links, folders }: ScannedFolder): TreeEntry[] =>
    [...files, ...links, ...folders].flatMap(({ path }) => found.get(path) ?? []);
  for (const level of levelsOf(top).slice(1).reverse()) {
    await forEachWithLimit(level, foldersAtATime, async (folder) => {
      const entries = entriesOf(folder);
      if (entries.length === 0) return;
      const { hash, bytes } = await trees.write(entries);
      found.set(folder.path, { name: folder.name, kind: 'folder', hash, bytes });
    });
  }
  return trees.write(entriesOf(top));
}

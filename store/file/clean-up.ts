import { join } from 'node:path';
import { mapWithLimit } from '../../domain/kernel/concurrency';
import { deletedFolder, removeQuietly, runsFolder, type Disk } from './disk';
import { undefinedIfMissing } from './os-errors';
import { temporaryFolder } from './run-folder';

/** A write takes milliseconds; a temporary file this old belongs to a process that died. */
const abandonedAfterMs = 60 * 60 * 1000;

/** Removes files that crashed processes left behind. Errors are ignored, because the store works without this. */
export async function cleanUp(disk: Disk): Promise<void> {
  const { root, files } = disk;
  await removeAbandoned(disk, root);
  const runs = await files.readdir(runsFolder(root)).catch(() => []);
  await mapWithLimit(runs, 8, (name) => removeAbandoned(disk, temporaryFolder(join(runsFolder(root), name))));
  const deleted = await files.readdir(deletedFolder(root)).catch(() => []);
  await mapWithLimit(deleted, 2, (name) =>
    files.rm(join(deletedFolder(root), name), { recursive: true, force: true }).catch(() => undefined),
  );
}

async function removeAbandoned({ files }: Disk, folder: string): Promise<void> {
  const names = await files.readdir(folder).catch(() => []);
  for (const name of names.filter((candidate) => candidate.endsWith('.tmp'))) {
    const path = join(folder, name);
    const file = await undefinedIfMissing(files.stat(path)).catch(() => undefined);
    if (file && Date.now() - file.mtimeMs > abandonedAfterMs) await removeQuietly(files, path);
  }
}

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { mapWithLimit } from '../../domain/kernel';
import type { StoredRun } from '../../domain/store';
import { runName } from '../run-name';
import { type DeletionMark, deletionMarkMs, markDeletion } from './deletion-mark';
import { deletedFolder, type Disk, runsFolder, temporaryFolder } from './disk';
import { removeQuietly } from './file-system';
import { undefinedIfMissing } from './os-errors';
import { readRunId } from './run-folder';

interface Tally {
  bytes: number;
  files: number;
  lastWrittenAt: number;
}

/** Lists every run with its size on disk. Runs that are deleted while this reads are omitted. */
export async function listRuns(disk: Disk): Promise<StoredRun[]> {
  const names = await disk.files.readdir(runsFolder(disk.root));
  const runs = await mapWithLimit(names, 4, (name) => describeRun(disk, name));
  return runs.filter((run) => run !== undefined);
}

async function describeRun(disk: Disk, name: string): Promise<StoredRun | undefined> {
  const runId = await readRunId(disk, name);
  const path = join(runsFolder(disk.root), name);
  const made = await undefinedIfMissing(disk.files.stat(path));
  if (runId === undefined || !made?.isDirectory()) return undefined;
  const tally: Tally = { bytes: 0, files: 0, lastWrittenAt: 0 };
  await addFolder(disk, path, tally);
  // A run that has no files yet is as old as its folder.
  return { runId, ...tally, lastWrittenAt: Math.floor(tally.lastWrittenAt || made.mtimeMs) };
}

async function addFolder(disk: Disk, path: string, tally: Tally): Promise<void> {
  const found = (await undefinedIfMissing(disk.files.readdir(path, { withFileTypes: true }))) ?? [];
  await mapWithLimit(found, 8, async (item) => {
    const inner = join(path, item.name);
    if (!item.isDirectory()) await addFile(disk, inner, tally);
    else if (inner !== temporaryFolder(path)) await addFolder(disk, inner, tally);
  });
}

async function addFile(disk: Disk, path: string, tally: Tally): Promise<void> {
  const file = await undefinedIfMissing(disk.files.stat(path));
  if (!file) return;
  tally.bytes += file.size;
  tally.files += 1;
  tally.lastWrittenAt = Math.max(tally.lastWrittenAt, file.mtimeMs);
}

/**
 * Deletes a run, if `confirm` agrees while the run can't be written to. Renames its folder in one step before removing
 * the files, so a crash in between may leave garbage but never half a run. Returns whether there was a run and it is
 * gone.
 */
export async function deleteRun(disk: Disk, runId: string, confirm?: () => Promise<boolean>): Promise<boolean> {
  const { root, files, folders } = disk;
  const path = join(runsFolder(root), runName(runId));
  if ((await undefinedIfMissing(files.stat(path))) === undefined) return false;
  if (confirm !== undefined) {
    const mark = await markDeletion(disk, path);
    if (mark === undefined || !(await confirmed(confirm, mark))) return false;
  }
  const away = join(deletedFolder(root), randomUUID());
  await folders.ensure(deletedFolder(root), root);
  const moved = await undefinedIfMissing(files.rename(path, away).then(() => true));
  folders.forget(path);
  if (moved === undefined) return false;
  await folders.sync(runsFolder(root));
  await files.rm(away, { recursive: true, force: true });
  return true;
}

/** Asks for confirmation. An answer that comes so late that writers might no longer heed the mark does not count. */
async function confirmed(confirm: () => Promise<boolean>, mark: DeletionMark): Promise<boolean> {
  let agreed = false;
  try {
    agreed = (await confirm()) && Date.now() - mark.at < deletionMarkMs / 2;
    return agreed;
  } finally {
    if (!agreed) await mark.remove();
  }
}

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
    // A file with another name is in use. The second name says that it was never synced, and costs nothing.
    if (file?.nlink === 1 && Date.now() - file.mtimeMs > abandonedAfterMs) await removeQuietly(files, path);
  }
}

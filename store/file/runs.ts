import { join } from 'node:path';
import { mapWithLimit } from '../../domain/kernel/concurrency';
import type { StoredRun } from '../../domain/store/store';
import { runsFolder, type Disk } from './disk';
import { undefinedIfMissing } from './os-errors';
import { readRunId, temporaryFolder } from './run-folder';

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

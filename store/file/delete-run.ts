import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { deletedFolder, runsFolder, type Disk } from './disk';
import { undefinedIfMissing } from './os-errors';
import { runFolderName } from './run-folder-name';

/**
 * Deletes a run. Renames its folder in one step before removing the files, so a crash in between may leave garbage but
 * never half a run.
 */
export async function deleteRun(disk: Disk, runId: string): Promise<void> {
  const { root, files, folders } = disk;
  const path = join(runsFolder(root), runFolderName(runId));
  const away = join(deletedFolder(root), randomUUID());
  await folders.ensure(deletedFolder(root), root);
  const moved = await undefinedIfMissing(files.rename(path, away).then(() => true));
  folders.forget(path);
  if (moved === undefined) return;
  await folders.sync(runsFolder(root));
  await files.rm(away, { recursive: true, force: true });
}

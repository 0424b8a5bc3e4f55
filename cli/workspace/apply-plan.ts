import { realpath, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobRef } from '../../domain/store/blob-ref';
import type { RunStore } from '../../domain/store/store';
import { foldersAbove } from '../../domain/workspace/path';
import { contentRef } from '../../domain/workspace/file-tree';
import { diffTrees } from '../../store/workspace/diff';
import { planApply, type Obstacle } from './apply-plan-merging';
import { assertInside, writeInside } from './write-inside';

/** The changes to apply, as two trees in the store. */
export interface ApplyRequest {
  readonly store: Pick<RunStore, 'runId' | 'get' | 'put'>;
  /** Tree that the run started from. */
  readonly base: BlobRef;
  /** Tree that the run produced. */
  readonly root: BlobRef;
  /** Overwrite files that have changed in the folder since the run started. Default: false. */
  readonly force?: boolean;
}

/** The result of applying a run's changes. */
export interface ApplyReport {
  /** False when nothing was written because of the obstacles. */
  readonly applied: boolean;
  readonly written: readonly string[];
  readonly deleted: readonly string[];
  /** Files that already had the run's content. */
  readonly unchanged: readonly string[];
  readonly obstacles: readonly Obstacle[];
}

/** Writes a run's changes to a folder: all of them, or none if the folder has changed since the run started. */
export async function applyTo(
  folder: string,
  { store, base, root, force = false }: ApplyRequest,
): Promise<ApplyReport> {
  const top = await realpath(folder);
  const { writes, deletes, done, obstacles } = await planApply(top, await diffTrees(store, base, root));
  if (obstacles.some((obstacle) => obstacle.forbidden || !force)) {
    return { applied: false, written: [], deleted: [], unchanged: done, obstacles };
  }
  // Read every file before the first write, so that a damaged store is noticed before anything has changed.
  for (const { path, file } of writes) await store.get(contentRef(file), `file "${path}" of the workspace`);
  // Delete first, because a folder may have to make room for a file.
  for (const path of deletes) await remove(top, path);
  for (const { path, file } of writes) {
    const content = await store.get(contentRef(file), `file "${path}" of the workspace`);
    await writeInside(top, path, content, file.executable === true);
  }
  return { applied: true, written: writes.map(({ path }) => path), deleted: deletes, unchanged: done, obstacles };
}

async function remove(top: string, path: string): Promise<void> {
  await assertInside(top, path);
  await unlink(join(top, path));
  for (const folder of foldersAbove(path).reverse()) {
    const emptied = await rmdir(join(top, folder)).then(
      () => true,
      () => false,
    );
    if (!emptied) return;
  }
}

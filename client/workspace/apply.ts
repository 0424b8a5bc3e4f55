import { realpath, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobRef } from '../../domain/store/blob-ref';
import type { RunStore } from '../../domain/store/store';
import { foldersAbove } from '../../domain/workspace/path';
import { contentRef } from '../../domain/workspace/tree';
import { diffTrees } from '../../store/workspace/diff';
import { planApply, type Obstacle } from './apply-plan';
import { assertInside, writeInside } from './write-inside';

export interface ApplyRequest {
  readonly store: Pick<RunStore, 'runId' | 'get' | 'put'>;
  /** What the run was given. */
  readonly base: BlobRef;
  /** What it made of it. */
  readonly root: BlobRef;
  /** Overwrite files that were changed in the folder meanwhile. */
  readonly force?: boolean;
}

export interface ApplyReport {
  /** False: nothing was written, because of the obstacles. */
  readonly applied: boolean;
  readonly written: readonly string[];
  readonly deleted: readonly string[];
  /** Were as the run left them already. */
  readonly unchanged: readonly string[];
  readonly obstacles: readonly Obstacle[];
}

/** Writes what a run changed to a folder: all of it, or, when the folder changed in between, nothing. */
export async function applyTo(
  folder: string,
  { store, base, root, force = false }: ApplyRequest,
): Promise<ApplyReport> {
  const top = await realpath(folder);
  const { writes, deletes, done, obstacles } = await planApply(top, await diffTrees(store, base, root));
  if (obstacles.some((obstacle) => obstacle.forbidden || !force)) {
    return { applied: false, written: [], deleted: [], unchanged: done, obstacles };
  }
  // All contents are fetched once before the first write: a damaged store is noticed while nothing has happened yet.
  for (const { path, file } of writes) await store.get(contentRef(file), `file "${path}" of the workspace`);
  // Deletions first: a folder may have to make room for a file.
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

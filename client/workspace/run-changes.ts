import type { Client } from '@temporalio/client';
import type { Store } from '../../domain/store';
import { diffTrees, type TreeChange } from '../../store/workspace/diff';
import { findScriptChanges } from '../../store/workspace/script-changes';
import { foldedRoot, queriedFiles } from './run-files';

/** A file that a run changed in its workspace. */
export interface RunChange {
  readonly path: string;
  readonly change: 'added' | 'changed' | 'deleted';
  /**
   * What the file does without being asked, such as "runs in continuous integration"; null for an ordinary file. Review
   * such a change with care before you write it to a folder.
   */
  readonly runs: string | null;
}

/**
 * Lists the files that a run changed, sorted by path. Throws a `BatonError` if the run has no workspace or no worker
 * answers.
 */
export async function readRunChanges(client: Client, store: Store, runId: string): Promise<readonly RunChange[]> {
  const workspace = await queriedFiles.workspaceOf(client, runId);
  const runStore = store.forRun(runId);
  const changes = await diffTrees(runStore, workspace.base, await foldedRoot(runStore, workspace));
  return describeChanges(changes, await findScriptChanges(runStore, changes));
}

/** Combines the changes of a run with what `findScriptChanges` found about them. */
export function describeChanges(
  changes: readonly TreeChange[],
  scripts: Awaited<ReturnType<typeof findScriptChanges>>,
): readonly RunChange[] {
  const effects = new Map(scripts.map(({ path, effect }) => [path, effect]));
  return changes.map(({ path, before, after }) => ({
    path,
    change: before === undefined ? 'added' : after === undefined ? 'deleted' : 'changed',
    runs: effects.get(path) ?? null,
  }));
}

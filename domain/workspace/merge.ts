import type { FileChange } from './change';
import { foldersAbove } from './path';

/** A change that lost: somebody else was there first, or something stands in its way. */
export interface ChangeConflict {
  readonly change: FileChange;
  /** What the file is now. */
  readonly currentHash: string | null;
  /** The file or folder that makes the path impossible, when that is the reason. */
  readonly blockedBy?: string;
}

export interface MergedChanges {
  readonly accepted: readonly FileChange[];
  readonly conflicts: readonly ChangeConflict[];
  /** The current hashes with the accepted changes. */
  readonly current: ReadonlyMap<string, string | null>;
}

/**
 * Takes changes in order, each only if its file is still what the tool saw. `current` holds every path that was ever
 * changed in the session: one that is not in it is as it was mounted, which every tool sees alike.
 */
export function mergeChanges(
  current: ReadonlyMap<string, string | null>,
  changes: readonly FileChange[],
): MergedChanges {
  const merged = new Map(current);
  const accepted: FileChange[] = [];
  const conflicts: ChangeConflict[] = [];
  for (const change of changes) {
    const conflict = conflictOf(merged, change);
    if (conflict !== undefined) conflicts.push(conflict);
    else {
      merged.set(change.path, change.newHash);
      accepted.push(change);
    }
  }
  return { accepted, conflicts, current: merged };
}

function conflictOf(current: ReadonlyMap<string, string | null>, change: FileChange): ChangeConflict | undefined {
  const known = current.get(change.path);
  if (known !== undefined && known !== change.expectedHash) return { change, currentHash: known };
  const blockedBy = change.newHash === null ? undefined : obstacle(current, change.path);
  if (blockedBy !== undefined) return { change, currentHash: known ?? null, blockedBy };
  return undefined;
}

/** Two writers of one turn can want "a" and "a/b": what either saw does not tell it. */
function obstacle(current: ReadonlyMap<string, string | null>, path: string): string | undefined {
  const isFile = (other: string): boolean => typeof current.get(other) === 'string';
  const above = foldersAbove(path).find(isFile);
  if (above !== undefined) return above;
  for (const [other, hash] of current) if (hash !== null && other.startsWith(`${path}/`)) return other;
  return undefined;
}

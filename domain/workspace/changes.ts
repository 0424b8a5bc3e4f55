import { z } from 'zod';
import { blobRefSchema } from '../store';
import { foldersAbove, parsePath } from './path';

const hash = blobRefSchema.shape.hash.nullable();

/**
 * A file change that a tool requests. It is applied by compare-and-set, so that no agent overwrites content it has not
 * seen.
 */
export const fileChangeSchema = z.strictObject({
  path: z.string().refine(isPath, 'is not a valid workspace path'),
  /** Hash of the content that the tool saw; null when the file did not exist. */
  expectedHash: hash,
  /** Hash of the new content; null when the file is deleted. */
  newHash: hash,
  /** Length of the new content in bytes; 0 when the file is deleted. */
  bytes: z.int().nonnegative(),
  /** Media type of the new content; omitted for text. */
  mediaType: z.string().min(1).max(100).optional(),
  /** Whether the file may be executed; omitted when that stays as it is. */
  executable: z.boolean().optional(),
});
export type FileChange = Readonly<z.infer<typeof fileChangeSchema>>;

/** The current state of a changed file. */
const fileStateSchema = z.object({
  path: z.string(),
  newHash: hash,
  bytes: z.int().nonnegative(),
  mediaType: z.string().optional(),
  /** Whether the file may be executed; omitted when no change says so. */
  executable: z.boolean().optional(),
});
export type FileState = Readonly<z.infer<typeof fileStateSchema>>;

/** The files that an agent sees: an imported tree and the changes since. */
export const workspaceStateSchema = z.object({
  /** The tree as it was imported. */
  base: blobRefSchema,
  /** The tree with all folded changes. */
  root: blobRefSchema,
  /** The newest changes, which are not folded into `root` yet. */
  changes: z.array(fileStateSchema).readonly(),
});
export type WorkspaceState = Readonly<z.infer<typeof workspaceStateSchema>>;

/** The files that an activity reads. It does not need the tree as it was imported. */
export const workspaceFilesSchema = workspaceStateSchema.omit({ base: true });
export type WorkspaceFiles = Readonly<z.infer<typeof workspaceFilesSchema>>;

/** Media type of content that is not text. */
export const binaryMediaType = 'application/octet-stream';

function isPath(text: string): boolean {
  try {
    return parsePath(text) === text;
  } catch {
    return false;
  }
}

/** A change that was refused because another change came first, or because its path is blocked. */
export interface ChangeConflict {
  readonly change: FileChange;
  /** Hash of the file's current content; null when it does not exist. */
  readonly currentHash: string | null;
  /** The file or folder that blocks the path; omitted when the path is not blocked. */
  readonly blockedBy?: string;
}

/** Result of `mergeChanges`. */
export interface MergedChanges {
  readonly accepted: readonly FileChange[];
  readonly conflicts: readonly ChangeConflict[];
  /** Current hashes by path, including the accepted changes. */
  readonly current: ReadonlyMap<string, string | null>;
}

/**
 * Applies changes in order, each only if its file still has the content that the tool saw. `current` contains every
 * path that was ever changed in the session. A path that is not in it has its imported content, which all agents see
 * alike.
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

/**
 * Returns the path that blocks a new file. Two calls of one turn can create "a" and "a/b" without seeing each other's
 * change.
 */
function obstacle(current: ReadonlyMap<string, string | null>, path: string): string | undefined {
  const isFile = (other: string): boolean => typeof current.get(other) === 'string';
  const above = foldersAbove(path).find(isFile);
  if (above !== undefined) return above;
  for (const [other, hash] of current) if (hash !== null && other.startsWith(`${path}/`)) return other;
  return undefined;
}

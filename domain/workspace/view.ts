import type { BlobRef } from '../store/blob-ref';
import type { FileState } from './change';
import type { TreeEntry } from './tree';

/** An entry with its whole path. A folder has no contents of its own. */
export type WorkspaceEntry = { readonly path: string } & (
  Exclude<TreeEntry, { kind: 'folder' }> | { readonly name: string; readonly kind: 'folder' }
);

export type WorkspaceFile = Extract<WorkspaceEntry, { kind: 'file' }>;

/** Where a path leads. */
export interface ResolvedPath {
  /** As the workspace spells it: names that differ only in Unicode normalisation are the same. */
  readonly path: string;
  readonly entry?: WorkspaceEntry;
  /** What stands where the path needs a folder. */
  readonly blockedBy?: WorkspaceEntry;
}

/** The files as one agent sees them: a mounted tree, and the changes that are not folded into it yet. */
export interface WorkspaceView {
  readonly root: BlobRef;
  readonly changes: readonly FileState[];
  /** Paths are checked by `parsePath` beforehand; "" is the workspace itself. */
  resolve(path: string): Promise<ResolvedPath>;
  stat(path: string): Promise<WorkspaceEntry | undefined>;
  /** Throws `NotInWorkspaceError` for anything but an imported file. */
  read(path: string): Promise<Uint8Array>;
  /** What is in a folder, sorted; throws `NotInWorkspaceError` when there is no such folder. */
  list(path: string, recursive: boolean): Promise<readonly WorkspaceEntry[]>;
  /** Like a recursive `list`, one at a time: a folder comes before what is in it. */
  walk(path: string): AsyncIterable<WorkspaceEntry>;
}

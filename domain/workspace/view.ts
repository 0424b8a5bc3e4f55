import type { BlobRef } from '../store/blob-ref';
import type { FileState } from './changes';
import type { TreeEntry } from './file-tree';

/** A tree entry with its full path. Folders have no hash or size here. */
export type WorkspaceEntry = { readonly path: string } & (
  Exclude<TreeEntry, { kind: 'folder' }> | { readonly name: string; readonly kind: 'folder' }
);

/** A file entry with its full path. */
export type WorkspaceFile = Extract<WorkspaceEntry, { kind: 'file' }>;

/** Result of `WorkspaceView.resolve`. */
export interface ResolvedPath {
  /** The path in the spelling of the workspace. Names that differ only in Unicode normalization are equal. */
  readonly path: string;
  /** The entry at the path; omitted when it does not exist. */
  readonly entry?: WorkspaceEntry;
  /** The entry that is in the place of a folder that the path requires. */
  readonly blockedBy?: WorkspaceEntry;
}

/** The files that one agent sees: a tree, and the changes that are not folded into it yet. Read-only. */
export interface WorkspaceView {
  readonly root: BlobRef;
  readonly changes: readonly FileState[];
  /** Looks up a path. Callers pass paths that `parsePath` returned; "" is the workspace root. */
  resolve(path: string): Promise<ResolvedPath>;
  /** Returns the entry at a path; undefined when it does not exist. */
  stat(path: string): Promise<WorkspaceEntry | undefined>;
  /** Reads a file. Throws a `NotInWorkspaceError` for anything but a file whose content was imported. */
  read(path: string): Promise<Uint8Array>;
  /** Lists a folder, sorted. Throws a `NotInWorkspaceError` when the folder does not exist. */
  list(path: string, recursive: boolean): Promise<readonly WorkspaceEntry[]>;
  /** Like a recursive `list`, but yields one entry at a time. A folder comes before its entries. */
  walk(path: string): AsyncIterable<WorkspaceEntry>;
}

import type { BlobRef } from '../store';
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

/** Changes grouped by folder, so that they can be merged into a tree one folder at a time. Maps names to nodes. */
export type Overlay = ReadonlyMap<string, OverlayNode>;

/** The changes at one name of a folder. */
export interface OverlayNode {
  /** The last change of the file with this name. */
  readonly file?: FileState;
  /** Changes in the folder with this name. */
  readonly below?: Overlay;
}

interface MutableNode {
  file?: FileState;
  below?: Map<string, MutableNode>;
}

/** Groups changes by folder. Later changes of a path replace earlier ones. */
export function buildOverlay(changes: readonly FileState[]): Overlay {
  const root = new Map<string, MutableNode>();
  for (const change of changes) {
    const names = change.path.split('/');
    const last = names.pop() ?? '';
    let folder = root;
    for (const name of names) folder = nodeAt(folder, name).below ??= new Map();
    nodeAt(folder, last).file = change;
  }
  return root;
}

function nodeAt(folder: Map<string, MutableNode>, name: string): MutableNode {
  const found = folder.get(name);
  if (found !== undefined) return found;
  const node: MutableNode = {};
  folder.set(name, node);
  return node;
}

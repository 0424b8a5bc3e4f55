import type { FileState } from './changes';

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

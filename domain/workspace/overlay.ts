import type { FileState } from './change';

/** Changes sorted into folders, so that they can be laid over a tree one folder at a time. */
export type Overlay = ReadonlyMap<string, OverlayNode>;

export interface OverlayNode {
  /** The last change of the file of this name. */
  readonly file?: FileState;
  /** Changes in the folder of this name. */
  readonly below?: Overlay;
}

interface MutableNode {
  file?: FileState;
  below?: Map<string, MutableNode>;
}

/** Later changes of a path replace earlier ones. */
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

/** Maximum lines of an outline. A longer one would not help an agent to find its way. */
export const maxOutlineLines = 400;

interface Folder {
  readonly folders: Map<string, Folder>;
  readonly files: string[];
}

/** Renders the tree of these paths, one name per line. If it is too long, the deepest folders show only a file count. */
export function outlineOf(paths: readonly string[], maxLines = maxOutlineLines): string {
  const root = treeOf(paths);
  let best = draw(root, 1);
  for (let depth = 2; best.some((line) => line.endsWith(' files)') || line.endsWith(' file)')); depth += 1) {
    const deeper = draw(root, depth);
    if (deeper.length > maxLines || deeper.join() === best.join()) break;
    best = deeper;
  }
  if (best.length <= maxLines) return best.join('\n');
  return [...best.slice(0, maxLines), `… and ${best.length - maxLines} more entries`].join('\n');
}

function treeOf(paths: readonly string[]): Folder {
  const root: Folder = { folders: new Map(), files: [] };
  for (const path of paths) {
    const names = path.split('/');
    const file = names.pop() ?? '';
    let folder = root;
    for (const name of names) {
      const next = folder.folders.get(name) ?? { folders: new Map<string, Folder>(), files: [] };
      folder.folders.set(name, next);
      folder = next;
    }
    folder.files.push(file);
  }
  return root;
}

/** Renders `depth` levels. Folders of the last level show only a file count. */
function draw({ folders, files }: Folder, depth: number, margin = ''): string[] {
  const lines = [...folders].flatMap(([name, folder]) => {
    if (depth > 1) return [`${margin}${name}/`, ...draw(folder, depth - 1, `${margin}  `)];
    const count = countFiles(folder);
    return [`${margin}${name}/ (${count} ${count === 1 ? 'file' : 'files'})`];
  });
  return [...lines, ...files.map((name) => `${margin}${name}`)];
}

function countFiles({ folders, files }: Folder): number {
  return [...folders.values()].reduce((sum, folder) => sum + countFiles(folder), files.length);
}

import { parsePath } from '../workspace';

/** Maximum lines of an outline. A longer one would not help an agent to find its way. */
const maxOutlineLines = 400;

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

/** A path that a text mentions. */
export interface Mention {
  readonly path: string;
  /** Whether the text clearly means a file. Then it is reported if the file does not exist. */
  readonly looksLikePath: boolean;
}

/** Quoted names may contain spaces and brackets; unquoted names end there. */
const quoted = /`([^`\n]{1,400})`|"([^"\n]{1,400})"|\]\(([^)\n]{1,400})\)/g;
const bare = /[^\s`"'<>()[\]{},;|*]{1,400}/g;
const extension = /\.[A-Za-z][A-Za-z0-9]{0,9}$/;

/** Returns everything in a text that may be a file path, in order of first mention. Does not check that files exist. */
export function mentionedPaths(text: string): Mention[] {
  const found = [
    ...[...text.matchAll(quoted)].map((match) => ({ at: match.index, name: match[1] ?? match[2] ?? match[3] ?? '' })),
    ...[...text.matchAll(bare)].map((match) => ({ at: match.index, name: match[0] })),
  ].sort((a, b) => a.at - b.at);
  const paths = new Map<string, Mention>();
  for (const { name } of found) {
    for (const candidate of spellings(name)) {
      const path = plain(candidate);
      if (path !== undefined && !paths.has(path)) paths.set(path, { path, looksLikePath: looksLikePath(path) });
    }
  }
  return [...paths.values()];
}

/** Returns the name as written, without surrounding punctuation, and without a trailing line number. */
function spellings(name: string): string[] {
  const trimmed = name.trim();
  const bareName = trimmed.replace(/^[^\p{L}\p{N}._@~+/-]+/u, '').replace(/[.:!?…,;)\]}]+$/u, '');
  const withoutLine = bareName.replace(/(?::\d+(?:[-:]\d+)?|#L\d+(?:-L?\d+)?)$/, '');
  // Shortest first: a trailing colon or line number is rarely part of a name, and only one spelling will exist.
  return [...new Set([withoutLine, bareName, trimmed])];
}

function plain(candidate: string): string | undefined {
  try {
    return parsePath(candidate);
  } catch {
    return undefined;
  }
}

function looksLikePath(path: string): boolean {
  return (
    /^[\w@.+~-]+(?:\/[\w@.+~-]+)+$/.test(path) &&
    extension.test(path) &&
    !/^(?:www\.|[\w-]+\.(?:com|org|net|io|dev)\/)/i.test(path)
  );
}

/** Returns the paths in the result of a listing tool, relative to the workspace. Folders end with a slash. */
export function pathsInListing(folder: string, text: string): string[] {
  return [...new Set(entriesOf(text).map((entry) => underFolder(folder, entry)))].filter((path) => path !== '');
}

/** Parses JSON, otherwise one entry per line. Text after two spaces, a tab or a bracket is a remark, such as a size. */
function entriesOf(text: string): string[] {
  return fromJson(text) ?? text.split('\n').flatMap((line) => entryOfLine(line.trim()));
}

function entryOfLine(line: string): string[] {
  const entry =
    line
      .replace(/^[-*•]\s+/, '')
      .split(/\t| {2,}| \(| \[/, 1)[0]
      ?.trim() ?? '';
  // Headings and remarks contain spaces or end with a colon; file names in the demo's workspace do not.
  return entry === '' || /\s|:$/.test(entry) ? [] : [entry];
}

function fromJson(text: string): string[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return stringsIn(value);
  } catch {
    return undefined;
  }
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(stringsIn);
  if (typeof value !== 'object' || value === null) return [];
  const { path, name, entries, files } = value as Record<string, unknown>;
  return stringsIn(path ?? name ?? entries ?? files ?? []);
}

/** Tools may list paths relative to the workspace or to the requested folder. */
function underFolder(folder: string, entry: string): string {
  const clean = entry.replace(/^\.\//, '');
  const base = folder.replace(/^\.\/?/, '').replace(/\/$/, '');
  return base === '' || clean.startsWith(`${base}/`) ? clean : `${base}/${clean}`;
}

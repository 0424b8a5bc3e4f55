/** The paths in what a listing tool returned, relative to the workspace; folders end with a slash. */
export function pathsInListing(folder: string, text: string): string[] {
  return [...new Set(entriesOf(text).map((entry) => underFolder(folder, entry)))].filter((path) => path !== '');
}

/** JSON if it is JSON, else one entry per line; behind two spaces, a tab or a bracket stand remarks such as a size. */
function entriesOf(text: string): string[] {
  return fromJson(text) ?? text.split('\n').flatMap((line) => entryOfLine(line.trim()));
}

function entryOfLine(line: string): string[] {
  const entry =
    line
      .replace(/^[-*•]\s+/, '')
      .split(/\t| {2,}| \(| \[/, 1)[0]
      ?.trim() ?? '';
  // Headings and remarks have blanks or end with a colon; names in the demo's workspace don't.
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

/** Tools may list paths from the workspace's root or from the folder they were asked about. */
function underFolder(folder: string, entry: string): string {
  const clean = entry.replace(/^\.\//, '');
  const base = folder.replace(/^\.\/?/, '').replace(/\/$/, '');
  return base === '' || clean.startsWith(`${base}/`) ? clean : `${base}/${clean}`;
}

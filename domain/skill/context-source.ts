/** Where the contents of a slice come from: a workspace, artifacts, a test's own files. */
export interface ContextSource {
  /** The text of a file; undefined when there is none, or when it is no text. */
  read(path: string): Promise<string | undefined>;
  /** Whether there is a file of that name, readable or not. */
  exists(path: string): Promise<boolean>;
  /** Paths of all files, in the order in which an outline shows them. */
  list(): Promise<readonly string[]>;
}

/** Files that are at hand: for artifacts that are laid over a workspace, and for tests. */
export function sourceOf(files: Readonly<Record<string, string>>): ContextSource {
  return {
    read: (path) => Promise.resolve(Object.hasOwn(files, path) ? files[path] : undefined),
    exists: (path) => Promise.resolve(Object.hasOwn(files, path)),
    list: () => Promise.resolve(Object.keys(files).sort()),
  };
}

/** Looks into `over` first. The outline is that of `under`: artifacts are no part of the tree. */
export function overlaid(over: ContextSource, under: ContextSource): ContextSource {
  const holder = async (path: string): Promise<ContextSource> => ((await over.exists(path)) ? over : under);
  return {
    read: async (path) => (await holder(path)).read(path),
    exists: async (path) => (await holder(path)).exists(path),
    list: () => under.list(),
  };
}

/** Provides the files for a context slice: a workspace, artifacts, or the files of a test. */
export interface ContextSource {
  /** Returns the text of a file; undefined when it does not exist or is not text. */
  read(path: string): Promise<string | undefined>;
  /** Whether the file exists, readable or not. */
  exists(path: string): Promise<boolean>;
  /** Returns the paths of all files, in the order in which an outline shows them. */
  list(): Promise<readonly string[]>;
}

/** Creates a source from files in memory, for artifacts that overlay a workspace and for tests. */
export function sourceFromFiles(files: Readonly<Record<string, string>>): ContextSource {
  return {
    read: (path) => Promise.resolve(Object.hasOwn(files, path) ? files[path] : undefined),
    exists: (path) => Promise.resolve(Object.hasOwn(files, path)),
    list: () => Promise.resolve(Object.keys(files).sort()),
  };
}

/** Reads from `over` first, then from `under`. Lists only `under`, because artifacts are not part of the file tree. */
export function overlaySource(over: ContextSource, under: ContextSource): ContextSource {
  const holder = async (path: string): Promise<ContextSource> => ((await over.exists(path)) ? over : under);
  return {
    read: async (path) => (await holder(path)).read(path),
    exists: async (path) => (await holder(path)).exists(path),
    list: () => under.list(),
  };
}

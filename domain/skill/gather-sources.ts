import { attribute } from '../kernel';
import { MissingSourceError } from './loaded-skill';
import { mentionedPaths, outlineOf } from './outline';
import type { ContextSlice, ContextSliceEntry } from './skill-definition';

/** The text of one source, and the tag around it. */
export interface SourceText {
  readonly tag: string;
  readonly path: string | null;
  readonly attributes: string;
  readonly content: string;
}

/** An optional source that does not exist or is not text. */
export interface AbsentSource {
  readonly source: string;
  readonly tag: string;
  readonly reason: string;
}

/** The texts of all sources of a context slice, and the sources that are absent. */
export interface GatheredSources {
  readonly pieces: readonly SourceText[];
  readonly absent: readonly AbsentSource[];
}

/** Reads all sources of a context slice, in order. Throws a `MissingSourceError` if a required source is absent. */
export async function gatherSources(
  skill: string,
  slice: ContextSlice,
  source: ContextSource,
): Promise<GatheredSources> {
  const pieces: SourceText[] = [];
  const absent: AbsentSource[] = [];
  for (const entry of slice) {
    // A file that has its own entry is already in the prompt, so it is not repeated when a plan mentions it.
    const found = await gatherEntry(entry, source, new Set(ownFiles(slice)));
    const missing = entry.required === true ? found.absent.find(({ essential }) => essential) : undefined;
    if (missing !== undefined) throw new MissingSourceError(skill, missing.source, missing.reason);
    pieces.push(...found.pieces);
    absent.push(...found.absent.map(({ source: path, tag, reason }) => ({ source: path, tag, reason })));
  }
  return { pieces, absent: absent.filter((one, index) => !absent.slice(0, index).some((other) => same(one, other))) };
}

interface Found {
  readonly pieces: readonly SourceText[];
  /** `essential` marks the source itself, in contrast to a file that it only mentions. */
  readonly absent: readonly (AbsentSource & { readonly essential: boolean })[];
}

async function gatherEntry(
  { source: wanted, tag }: ContextSliceEntry,
  source: ContextSource,
  own: ReadonlySet<string>,
): Promise<Found> {
  if (typeof wanted === 'string') return readOne(wanted, tag, source, '');
  if ('outline' in wanted) {
    const content = outlineOf(await source.list());
    if (content !== '') return { pieces: [{ tag, path: null, attributes: '', content }], absent: [] };
    return { pieces: [], absent: [{ source: 'the outline', tag, reason: 'contains no files', essential: true }] };
  }
  const text = await source.read(wanted.mentionedIn);
  if (text === undefined) {
    return {
      pieces: [],
      absent: [{ source: wanted.mentionedIn, tag, reason: await why(source, wanted.mentionedIn), essential: true }],
    };
  }
  const isOut = (path: string): boolean =>
    own.has(path) || (wanted.except ?? []).some((left) => path === left || path.startsWith(`${left}/`));
  return readMentioned(text, tag, source, isOut);
}

async function readMentioned(
  text: string,
  tag: string,
  source: ContextSource,
  isOut: (path: string) => boolean,
): Promise<Found> {
  const pieces: SourceText[] = [];
  const absent: Found['absent'][number][] = [];
  for (const { path, looksLikePath } of mentionedPaths(text)) {
    if (isOut(path)) continue;
    if (!looksLikePath && !(await source.exists(path))) continue;
    const found = await readOne(path, tag, source, attribute('path', path));
    pieces.push(...found.pieces);
    absent.push(...found.absent.map((one) => ({ ...one, essential: false })));
  }
  return { pieces, absent };
}

async function readOne(path: string, tag: string, source: ContextSource, attributes: string): Promise<Found> {
  const content = await source.read(path);
  if (content !== undefined) return { pieces: [{ tag, path, attributes, content }], absent: [] };
  return { pieces: [], absent: [{ source: path, tag, reason: await why(source, path), essential: true }] };
}

async function why(source: ContextSource, path: string): Promise<string> {
  return (await source.exists(path)) ? 'cannot be read as text' : 'does not exist';
}

function ownFiles(slice: ContextSlice): string[] {
  return slice.flatMap(({ source }) => {
    if (typeof source === 'string') return [source];
    return 'mentionedIn' in source ? [source.mentionedIn] : [];
  });
}

function same(a: AbsentSource, b: AbsentSource): boolean {
  return a.source === b.source && a.tag === b.tag;
}

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

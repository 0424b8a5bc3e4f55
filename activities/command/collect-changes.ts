import { join } from 'node:path';
import { type ChangedPaths, listPaths } from '../../domain/command';
import { mediaTypes, type RunStore } from '../../domain/store';
import { binaryMediaType, byCodeUnit, type FileChange, isPath, isProtectedPath } from '../../domain/workspace';
import { measurePayload, sha256 } from '../../store/blobs';
import { isBinary, readContent } from '../workspace/ignore-rules';
import { type CommandLimits, formatLimit } from './limits';
import type { WorkspaceListing } from './materialise';
import { look, type PlacedFiles, type ScratchEntry, signatureOf, Turns, walkScratch } from './scratch-folder';

/** What a command changed, ready to be recorded. */
export interface CollectedChanges {
  readonly changes: readonly FileChange[];
  readonly files: ChangedPaths;
  /** Sentences about what is not recorded although the command left it. */
  readonly remarks: readonly string[];
}

/** Thrown when what a command changed can't be recorded. Nothing of it is. */
export class TooManyChangesError extends Error {}

/** Maximum characters of a changed path, which is recorded in history. */
const maxPathLength = 1_000;
/** Maximum entries of a scratch folder that are looked at, without ignored ones. */
const maxEntries = 100_000;
/** The clock of the file system may be this much behind, in nanoseconds. */
const clockTolerance = 20_000_000n;

const readAndWrite = 0o600n;

/** A scratch folder in which a command has ended. */
export interface UsedScratch {
  readonly work: string;
  /** The state before the command. Updated to the state after it. */
  readonly placed: PlacedFiles;
  /** When the command began, in milliseconds since 1970. */
  readonly begunAt: number;
}

/** Finds out what a command changed, and stores the new contents. Throws a `TooManyChangesError` before it stores any. */
export async function collectChanges(
  scratch: UsedScratch,
  workspace: WorkspaceListing,
  limits: CommandLimits,
  { store, maxPayload }: { readonly store: Pick<RunStore, 'put'>; readonly maxPayload: number },
): Promise<CollectedChanges> {
  const found = await inspect(scratch, workspace);
  const contents = await readChanged(scratch, found.candidates, limits);
  const deleted = deletedFiles(scratch, workspace, found);
  const changed = contents.filter(({ change }) => change !== undefined);
  const changes = [...deleted.changes, ...changed.flatMap(({ change }) => change ?? [])];
  const size = measurePayload(changes);
  if (size > maxPayload) {
    throw new TooManyChangesError(
      `the command changed ${changes.length} files, whose paths and hashes take ${size} bytes, and one call can record ${maxPayload} bytes, about 70 files. Change fewer files at a time, or have generated files ignored by .gitignore`,
    );
  }
  for (const { bytes, isText } of changed) await store.put(bytes, isText ? mediaTypes.text : binaryMediaType);
  const existed = ({ path }: FileChange): boolean => workspace.files.has(path);
  const written = changed.flatMap(({ change }) => change ?? []);
  return {
    changes,
    files: {
      created: written.filter((change) => !existed(change)).map(({ path }) => path),
      edited: written.filter(existed).map(({ path }) => path),
      deleted: deleted.changes.map(({ path }) => path),
    },
    remarks: remarksOf(found, deleted.links),
  };
}

interface Inspection {
  /** Files that may have changed. */
  readonly candidates: string[];
  /** Files and links of the workspace that still exist. */
  readonly present: Set<string>;
  readonly links: string[];
  readonly excluded: string[];
  readonly special: string[];
  readonly unnamable: string[];
  readonly unread: string[];
}

async function inspect(scratch: UsedScratch, workspace: WorkspaceListing): Promise<Inspection> {
  const found: Inspection = {
    candidates: [],
    present: new Set(),
    links: [],
    excluded: [],
    special: [],
    unnamable: [],
    unread: [],
  };
  let entries = 0;
  const turns = new Turns();
  await walkScratch(scratch.work, {
    workspace,
    visit: async (entry) => {
      entries += 1;
      await turns.next();
      if (entries > maxEntries)
        throw new TooManyChangesError(`there are more than ${maxEntries} files that are not ignored`);
      return note(scratch, workspace, found, entry);
    },
  });
  return found;
}

/** Notes one entry. Returns whether its own entries have to be looked at. */
function note(
  scratch: UsedScratch,
  workspace: WorkspaceListing,
  found: Inspection,
  { path, kind, outside }: ScratchEntry,
): boolean {
  const known = workspace.files.get(path);
  if (kind === 'folder') return isPath(path) || (found.unnamable.push(path), false);
  if (known === undefined && outside === 'ignored') return false;
  if (known === undefined && (outside === 'excluded' || isProtectedPath(path))) found.excluded.push(path);
  else if (workspace.unread.has(path)) found.unread.push(path);
  else if (!isPath(path) || path.length > maxPathLength) found.unnamable.push(path);
  else if (kind !== 'file' || known?.kind === 'link') noteOther(scratch, found, path, kind, known?.kind);
  else {
    found.present.add(path);
    if (mayHaveChanged(scratch, path)) found.candidates.push(path);
  }
  return false;
}

/**
 * Notes a link or a special file, or what took the place of a link of the workspace. None of them is recorded, because a
 * workspace changes only by files. A file that was replaced by one stays as it is.
 */
function noteOther(
  scratch: UsedScratch,
  found: Inspection,
  path: string,
  kind: ScratchEntry['kind'],
  before: 'file' | 'link' | undefined,
): void {
  if (before !== undefined) found.present.add(path);
  if (kind === 'link' && before === 'link' && !mayHaveChanged(scratch, path)) return;
  (kind === 'special' ? found.special : found.links).push(path);
}

function mayHaveChanged({ work, placed, begunAt }: UsedScratch, path: string): boolean {
  const known = placed.get(path);
  const now = look(join(work, path));
  if (now === undefined || known?.signature !== signatureOf(now)) return true;
  // Written right before the command began: the clock can't tell a change from what the engine wrote.
  return known.kind === 'file' && now.ctimeNs > BigInt(begunAt) * 1_000_000n - clockTolerance;
}

interface ReadFile {
  readonly bytes: Buffer;
  readonly isText: boolean;
  /** Undefined if the file has not changed after all. */
  readonly change: FileChange | undefined;
}

async function readChanged(scratch: UsedScratch, paths: readonly string[], limits: CommandLimits): Promise<ReadFile[]> {
  const { changedFileBytes, changedBytes } = limits;
  const read: ReadFile[] = [];
  let total = 0;
  for (const path of paths) {
    const content = await readContent(join(scratch.work, path), changedFileBytes);
    if (content.kind === 'gone') continue;
    if (content.kind !== 'content') {
      throw new TooManyChangesError(
        content.kind === 'unreadable'
          ? `"${path}" can't be read`
          : `"${path}" has ${content.size} bytes, and a file of the workspace may have ${formatLimit(changedFileBytes)}`,
      );
    }
    const file = compare(scratch, path, content);
    if (file.change === undefined) continue;
    total += file.bytes.length;
    if (total > changedBytes)
      throw new TooManyChangesError(`the changed files have more than ${formatLimit(changedBytes)} together`);
    read.push(file);
  }
  return read;
}

function compare(
  { work, placed }: UsedScratch,
  path: string,
  { bytes, executable }: { readonly bytes: Buffer; readonly executable: boolean },
): ReadFile {
  const before = placed.get(path);
  const hash = sha256(bytes);
  const stat = look(join(work, path));
  // Without these permissions, the file is written anew before the next command.
  const isUsable = stat !== undefined && (stat.mode & readAndWrite) === readAndWrite;
  if (isUsable) placed.set(path, { hash, executable, kind: 'file', signature: signatureOf(stat) });
  else placed.delete(path);
  const isText = !isBinary(bytes);
  const wasExecutable = before?.executable ?? false;
  if (before?.hash === hash && wasExecutable === executable) return { bytes, isText, change: undefined };
  const change: FileChange = {
    path,
    expectedHash: before?.hash ?? null,
    newHash: hash,
    bytes: bytes.length,
    ...(isText ? {} : { mediaType: binaryMediaType }),
    ...(wasExecutable === executable ? {} : { executable }),
  };
  return { bytes, isText, change };
}

function deletedFiles(
  { placed }: UsedScratch,
  { files }: WorkspaceListing,
  { present }: Inspection,
): { readonly changes: FileChange[]; readonly links: string[] } {
  const gone = [...files.values()].filter(({ path }) => !present.has(path));
  for (const { path } of gone) placed.delete(path);
  const deleted = gone.filter(({ kind }) => kind === 'file').sort((a, b) => byCodeUnit(a.path, b.path));
  return {
    changes: deleted.map(({ path, hash }) => ({ path, expectedHash: hash, newHash: null, bytes: 0 })),
    links: gone.filter(({ kind }) => kind === 'link').map(({ path }) => path),
  };
}

function remarksOf({ links, excluded, special, unnamable, unread }: Inspection, deletedLinks: string[]): string[] {
  const kinds: readonly (readonly [string, readonly string[]])[] = [
    ['symbolic links can be neither created, changed nor deleted', [...links, ...deletedLinks]],
    ['files with such names may contain secrets or belong to another program', excluded],
    ['they are neither files nor folders', special],
    ['their names are not allowed in a workspace', unnamable],
    ['the workspace contains other files there, which were too large to import', unread],
  ];
  return kinds.flatMap(([why, paths]) => (paths.length === 0 ? [] : [`Not recorded: ${listPaths(paths)} (${why}).`]));
}

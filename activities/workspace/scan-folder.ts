import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { forEachWithLimit } from '../../domain/kernel';
import { isExcludedPath, joinPath, maxPathBytes, nameProblem } from '../../domain/workspace';
import { decodeUtf8 } from '../../store/blobs';
import { hasCode } from '../../store/file/os-errors';
import { IgnoreRules } from './ignore-rules';
import type { ImportTotals, SkipReason } from './import-limits';

const foldersAtATime = 8;

/** A folder to import, before any file is read. */
export interface ScannedFolder {
  /** Path relative to the mounted folder. */
  readonly path: string;
  readonly name: string;
  readonly files: { readonly name: string; readonly path: string; readonly size: number }[];
  readonly links: { readonly name: string; readonly path: string }[];
  readonly folders: ScannedFolder[];
}

interface Visit {
  readonly folder: ScannedFolder;
  readonly rules: IgnoreRules;
}

/**
 * Lists the folder level by level, so that a folder that is far too large is refused early, before any file is read.
 */
export async function scanFolder(
  root: string,
  allowed: readonly string[],
  tally: ImportTotals,
  signal: AbortSignal | undefined,
): Promise<ScannedFolder> {
  const top = newFolder('', '');
  let level: Visit[] = [{ folder: top, rules: await IgnoreRules.forRoot(root) }];
  while (level.length > 0) {
    const next: Visit[] = [];
    await forEachWithLimit(level, foldersAtATime, async (visit) => {
      signal?.throwIfAborted();
      await scanOne(root, visit, allowed, tally);
      for (const folder of visit.folder.folders) {
        next.push({ folder, rules: await visit.rules.enter(join(root, folder.path), folder.path) });
      }
    });
    level = next;
  }
  return top;
}

async function scanOne(
  root: string,
  { folder, rules }: Visit,
  allowed: readonly string[],
  tally: ImportTotals,
): Promise<void> {
  for (const entry of await entriesOf(join(root, folder.path), tally)) {
    const name = decodeUtf8(entry.name);
    const path = joinPath(folder.path, name ?? '');
    const reason = reasonToLeaveOut(name, path, entry, rules, allowed);
    if (name === undefined || reason !== undefined) {
      tally.leaveOut(reason ?? 'badName');
      continue;
    }
    tally.countEntry();
    if (entry.isDirectory()) folder.folders.push(newFolder(name, path));
    else if (entry.isSymbolicLink()) folder.links.push({ name, path });
    else await addFile(root, folder, name, path, tally);
  }
}

function reasonToLeaveOut(
  name: string | undefined,
  path: string,
  entry: Dirent<Buffer>,
  rules: IgnoreRules,
  allowed: readonly string[],
): SkipReason | undefined {
  if (name === undefined || nameProblem(name) !== undefined) return 'badName';
  if (Buffer.byteLength(path) > maxPathBytes) return 'badName';
  if (isExcludedPath(path, { allowed, isFolder: entry.isDirectory() })) return 'secret';
  if (rules.ignores(path, entry.isDirectory())) return 'ignored';
  if (!entry.isFile() && !entry.isDirectory() && !entry.isSymbolicLink()) return 'special';
  return undefined;
}

async function addFile(
  root: string,
  folder: ScannedFolder,
  name: string,
  path: string,
  tally: ImportTotals,
): Promise<void> {
  const found = await lstat(join(root, path)).catch(() => undefined);
  if (found === undefined) return;
  tally.expectFile(found.size);
  folder.files.push({ name, path, size: found.size });
}

/** Reads names as bytes, because a name that is not UTF-8 would otherwise be changed by decoding. */
async function entriesOf(folder: string, tally: ImportTotals): Promise<Dirent<Buffer>[]> {
  try {
    return await readdir(folder, { withFileTypes: true, encoding: 'buffer' });
  } catch (error) {
    if (!hasCode(error, 'EACCES', 'EPERM', 'ENOENT', 'ENOTDIR')) throw error;
    tally.leaveOut('unreadable');
    return [];
  }
}

function newFolder(name: string, path: string): ScannedFolder {
  return { name, path, files: [], links: [], folders: [] };
}

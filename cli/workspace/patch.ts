import type { BlobRef } from '../../domain/store/blob-ref';
import type { RunStore } from '../../domain/store/store';
import { contentRef, type FileEntry } from '../../domain/workspace/file-tree';
import { decodeUtf8 } from '../../store/utf8';
import { diffTrees, type TreeChange } from '../../store/workspace/diff';
import { hunksBetween } from './hunks';

type ReadStore = Pick<RunStore, 'runId' | 'get' | 'put'>;

/** Renders a run's changes as a patch for `git apply` and `patch -p1`. Empty when nothing changed. */
export async function unifiedPatch(store: ReadStore, base: BlobRef, root: BlobRef): Promise<string> {
  const parts: string[] = [];
  for (const change of await diffTrees(store, base, root)) parts.push(await filePatch(store, change));
  return parts.join('');
}

async function filePatch(store: ReadStore, { path, before, after }: TreeChange): Promise<string> {
  // Tools change only files. A symbolic link or an unread file can only be replaced by a file, so it counts as absent.
  const old = before?.kind === 'file' ? before : undefined;
  const now = after?.kind === 'file' ? after : undefined;
  const [from, to] = [quoted(`a/${path}`), quoted(`b/${path}`)];
  const header = [`diff --git ${from} ${to}\n`, modeLine(old, now)].join('');
  const [oldText, newText] = [await textOf(store, path, old), await textOf(store, path, now)];
  const [left, right] = [old === undefined ? '/dev/null' : from, now === undefined ? '/dev/null' : to];
  if (oldText === undefined || newText === undefined) return `${header}Binary files ${left} and ${right} differ\n`;
  const hunks = hunksBetween(oldText, newText);
  return hunks === '' ? header : `${header}--- ${left}${tab(left)}\n+++ ${right}${tab(right)}\n${hunks}`;
}

function modeLine(old: FileEntry | undefined, now: FileEntry | undefined): string {
  if (old === undefined) return `new file mode ${modeOf(now)}\n`;
  if (now === undefined) return `deleted file mode ${modeOf(old)}\n`;
  return modeOf(old) === modeOf(now) ? '' : `old mode ${modeOf(old)}\nnew mode ${modeOf(now)}\n`;
}

function modeOf(file: FileEntry | undefined): string {
  return file?.executable === true ? '100755' : '100644';
}

/** Returns the text of a file; empty if the file does not exist, undefined if it is binary. */
async function textOf(store: ReadStore, path: string, file: FileEntry | undefined): Promise<string | undefined> {
  if (file === undefined) return '';
  if (file.binary === true) return undefined;
  return decodeUtf8(await store.get(contentRef(file), `file "${path}" of the workspace`));
}

/** Quotes a path like git. Workspace paths can contain no character that needs quoting except a quotation mark. */
function quoted(path: string): string {
  return path.includes('"') ? `"${path.replaceAll('"', '\\"')}"` : path;
}

/** A path with a space needs a tab after it, because readers would take the rest for a date. */
function tab(path: string): string {
  return path.includes(' ') && !path.startsWith('"') ? '\t' : '';
}

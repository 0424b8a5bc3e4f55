import { Command } from 'commander';
import { structuredPatch, type StructuredPatchHunk } from 'diff';
import { storedWorkspace } from '../../client/record/stored-views';
import { describeChanges } from '../../client/workspace/run-changes';
import { foldedRoot, type RunFiles } from '../../client/workspace/run-files';
import type { BlobRef, RunStore } from '../../domain/store';
import { contentRef, type FileEntry } from '../../domain/workspace';
import { decodeUtf8 } from '../../store/blobs';
import { diffTrees, type TreeChange } from '../../store/workspace/diff';
import { findScriptChanges, type ScriptChange } from '../../store/workspace/script-changes';
import type { CliContext, Terminal } from '../context';
import { fromServerOrStore } from '../from-store';

/** `baton diff`: prints a run's changes as a patch. */
export function diffCommand(context: CliContext, files: RunFiles): Command {
  return new Command('diff')
    .description('print the changes of a run to its workspace as a patch')
    .argument('<run>', 'id of the run')
    .option('--json', 'print JSON: the patch, and for each file how it changed and what it runs without being asked')
    .addHelpText('after', examples)
    .action(async (runId: string, { json }: { json?: boolean }) => {
      const workspace = await fromServerOrStore(context, runId, {
        server: ({ client }) => files.workspaceOf(client, runId),
        store: storedWorkspace,
      });
      const store = (await context.openStore()).forRun(runId);
      const changes = await diffTrees(store, workspace.base, await foldedRoot(store, workspace));
      const scripts = await findScriptChanges(store, changes);
      const patch = await patchOf(store, changes);
      if (json === true) context.terminal.printJson({ runId, files: describeChanges(changes, scripts), patch });
      else print(context.terminal, patch, scripts);
    });
}

function print(terminal: Terminal, patch: string, scripts: readonly ScriptChange[]): void {
  if (patch === '') terminal.note('The run changed no files.');
  else terminal.write(Buffer.from(patch, 'utf8'));
  if (scripts.length === 0) return;
  // After the patch, because the end of the output is what stays on the screen.
  terminal.note('Review these files with care, because they can run programs without being asked:');
  for (const line of scriptLines(scripts)) terminal.note(line);
  terminal.note('baton apply writes the changes only with --allow-scripts.');
}

/** Formats changes that can run programs, one line for each. */
export function scriptLines(scripts: readonly ScriptChange[]): string[] {
  return scripts.map(({ path, effect }) => `  ${path} ${effect}`);
}

const examples = `
A run never changes the folder itself; to do so, use baton apply. For binary files, the patch only notes that they differ.
Changes of hooks, CI files, package scripts, editor tasks and executable files are listed on standard error.

Examples:
  $ baton diff 20261116-031522-k3f9q1
  $ baton diff 20261116-031522-k3f9q1 | git apply --check
`;

type ReadStore = Pick<RunStore, 'runId' | 'get' | 'put'>;

/** Renders a run's changes as a patch for `git apply` and `patch -p1`. Empty when nothing changed. */
export async function unifiedPatch(store: ReadStore, base: BlobRef, root: BlobRef): Promise<string> {
  return patchOf(store, await diffTrees(store, base, root));
}

async function patchOf(store: ReadStore, changes: readonly TreeChange[]): Promise<string> {
  const parts: string[] = [];
  for (const change of changes) parts.push(await filePatch(store, change));
  return parts.join('');
}

/** Tools change only files. A symbolic link or an unread file can only be replaced by a file, so it counts as absent. */
function filesOf({ before, after }: TreeChange): { readonly old?: FileEntry; readonly now?: FileEntry } {
  return { ...(before?.kind === 'file' ? { old: before } : {}), ...(after?.kind === 'file' ? { now: after } : {}) };
}

/** Reads both versions of a file; undefined if one of them is binary. */
export async function changedTexts(
  store: ReadStore,
  change: TreeChange,
): Promise<{ readonly before: string; readonly after: string } | undefined> {
  const { old, now } = filesOf(change);
  const [before, after] = [await textOf(store, change.path, old), await textOf(store, change.path, now)];
  return before === undefined || after === undefined ? undefined : { before, after };
}

async function filePatch(store: ReadStore, change: TreeChange): Promise<string> {
  const { path } = change;
  const { old, now } = filesOf(change);
  const [from, to] = [quoted(`a/${path}`), quoted(`b/${path}`)];
  const header = [`diff --git ${from} ${to}\n`, modeLine(old, now)].join('');
  const texts = await changedTexts(store, change);
  const [left, right] = [old === undefined ? '/dev/null' : from, now === undefined ? '/dev/null' : to];
  if (texts === undefined) return `${header}Binary files ${left} and ${right} differ\n`;
  const hunks = hunksBetween(texts.before, texts.after);
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

/** Time limit of the comparison. Texts that take longer have little in common, and the search could take minutes. */
const maxDiffMs = 2_000;

/** Returns the hunks of a unified patch. Every line ends with a line break. */
export function hunksBetween(before: string, after: string): string {
  return hunksOf(before, after).map(render).join('');
}

/** Returns the parts in which two texts differ, with three lines around each. */
export function hunksOf(before: string, after: string): readonly StructuredPatchHunk[] {
  if (before === after) return [];
  const patch = structuredPatch('', '', before, after, undefined, undefined, { context: 3, timeout: maxDiffMs });
  return patch === undefined ? [replacement(before, after)] : patch.hunks;
}

function render({ oldStart, oldLines, newStart, newLines, lines }: StructuredPatchHunk): string {
  return `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@\n${lines.map((line) => `${line}\n`).join('')}`;
}

function range(start: number, count: number): string {
  // The format names the line before an empty range.
  if (count === 0) return `${Math.max(0, start - 1)},0`;
  return count === 1 ? String(start) : `${start},${count}`;
}

/** Returns one hunk that removes every old line and adds every new one. */
function replacement(before: string, after: string): StructuredPatchHunk {
  const [old, now] = [signed(before, '-'), signed(after, '+')];
  const count = (lines: string[]): number => lines.filter((line) => !line.startsWith('\\')).length;
  return { oldStart: 1, oldLines: count(old), newStart: 1, newLines: count(now), lines: [...old, ...now] };
}

function signed(text: string, sign: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  const last = lines.pop();
  const whole = lines.map((line) => `${sign}${line}`);
  return last === undefined || last === '' ? whole : [...whole, `${sign}${last}`, '\\ No newline at end of file'];
}

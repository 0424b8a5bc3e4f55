import { foldedRoot, type RunWorkspace } from '../../../client/workspace/run-files';
import { describeChanges } from '../../../client/workspace/run-changes';
import type { RunStore } from '../../../domain/store';
import type { FilesView } from '../../../page/protocol';
import { diffTrees, type TreeChange } from '../../../store/workspace/diff';
import { findScriptChanges } from '../../../store/workspace/script-changes';
import { changedTexts, hunksOf } from '../../workspace/diff';
import type { Writing } from './writings';

type FileView = FilesView['files'][number];

/** Files whose hunks are shown. Beyond it, only their names are. */
const maxWithHunks = 500;

/** Reads the files that a run changed. With an agent's path, only those that this agent changed. */
export async function readFilesView(
  store: RunStore,
  workspace: RunWorkspace,
  writings: readonly Writing[],
  agent: string,
): Promise<FilesView> {
  const changes = await diffTrees(store, workspace.base, await foldedRoot(store, workspace));
  const described = describeChanges(changes, await findScriptChanges(store, changes));
  const files: FileView[] = [];
  for (const [index, { path, change, runs }] of described.entries()) {
    const own = writings.filter(({ name }) => name === path);
    if (agent !== '' && !own.some((writing) => writing.path === agent)) continue;
    const tree = changes[index];
    const hunks = tree === undefined || files.length >= maxWithHunks ? null : await readHunks(store, tree);
    files.push({ path, change, runs, ...whoWrote(own), ...countsOf(hunks), hunks });
  }
  return { files };
}

function whoWrote(own: readonly Writing[]): Pick<FileView, 'writers' | 'lost'> {
  const applied = own.filter(({ isLost }) => !isLost);
  const writers = applied.map(({ path, turn }) => ({ path, turn }));
  const isNew = ({ path, turn }: (typeof writers)[number], index: number): boolean =>
    writers.findIndex((other) => other.path === path && other.turn === turn) === index;
  return { writers: writers.filter(isNew), lost: own.length - applied.length };
}

async function readHunks(store: RunStore, change: TreeChange): Promise<FileView['hunks']> {
  const texts = await changedTexts(store, change);
  if (texts === undefined) return null;
  return hunksOf(texts.before, texts.after).map(({ oldStart, newStart, lines }) => ({ oldStart, newStart, lines }));
}

function countsOf(hunks: FileView['hunks']): Pick<FileView, 'added' | 'removed'> {
  const lines = (hunks ?? []).flatMap((hunk) => hunk.lines);
  const count = (sign: string): number => lines.filter((line) => line.startsWith(sign)).length;
  return { added: count('+'), removed: count('-') };
}

import { automaticEffect, changedCommands, contentRef, manifestAt } from '../../domain/workspace';
import { decodeUtf8 } from '../blobs';
import type { TreeChange } from './diff';
import type { TreeStore } from './trees';

/** A change that can make a program run without anybody asking for it. */
export interface ScriptChange {
  readonly path: string;
  /** What the file does, as the end of a sentence about it, such as "runs in continuous integration". */
  readonly effect: string;
}

/** Returns the changes of hooks, CI files, package scripts, editor tasks and executable files. */
export async function findScriptChanges(
  store: Pick<TreeStore, 'get'>,
  changes: readonly TreeChange[],
): Promise<ScriptChange[]> {
  const found: ScriptChange[] = [];
  for (const change of changes) {
    const effect = await effectOf(store, change);
    if (effect !== undefined) found.push({ path: change.path, effect });
  }
  return found;
}

async function effectOf(store: Pick<TreeStore, 'get'>, change: TreeChange): Promise<string | undefined> {
  const { path, before, after } = change;
  const automatic = automaticEffect(path);
  if (automatic !== undefined) return automatic;
  if (after?.kind === 'file' && after.executable === true) return 'is executable';
  const manifest = manifestAt(path);
  if (manifest === undefined) return undefined;
  return changedCommands(manifest, await textOf(store, path, before), await textOf(store, path, after));
}

/** Returns the text of a file; undefined where it does not exist. A file that is not text has no valid JSON either. */
async function textOf(
  store: Pick<TreeStore, 'get'>,
  path: string,
  entry: TreeChange['before'],
): Promise<string | undefined> {
  if (entry === undefined) return undefined;
  if (entry.kind !== 'file') return '';
  return decodeUtf8(await store.get(contentRef(entry), `file "${path}" of the workspace`)) ?? '';
}

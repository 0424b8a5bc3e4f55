import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { openWorkspace } from '../../../activities/workspace/stored-workspace';
import type { BlobRef, RunStore } from '../../../domain/store';
import type { FileChange, WorkspaceEntry } from '../../../domain/workspace';
import { sha256 } from '../../../store/blobs';
import { newFolder } from '../support/folders';

export { newFolder };

/** Creates a folder with these files, by path. */
export async function folderWith(files: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
  const folder = await newFolder();
  await addFiles(folder, files);
  return folder;
}

export async function addFiles(folder: string, files: Readonly<Record<string, string | Uint8Array>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}

/** Stores the content, and returns the change that a tool would return for it. */
export async function changeOf(
  store: RunStore,
  path: string,
  content: string | null,
  expected: string | null = null,
): Promise<FileChange> {
  const expectedHash = expected === null ? null : sha256(expected);
  if (content === null) return { path, expectedHash, newHash: null, bytes: 0 };
  const { hash, bytes } = await store.put(Buffer.from(content), 'text/plain');
  return { path, expectedHash, newHash: hash, bytes };
}

export async function everything(store: RunStore, root: BlobRef): Promise<readonly WorkspaceEntry[]> {
  return openWorkspace(store, { root, changes: [] }).list('', true);
}

/** Returns every path of a workspace except folders. */
export async function paths(store: RunStore, root: BlobRef): Promise<string[]> {
  return (await everything(store, root)).filter(({ kind }) => kind !== 'folder').map(({ path }) => path);
}

/** Returns every imported file with its text. */
export async function texts(
  store: RunStore,
  root: BlobRef,
  changes: readonly FileChange[] = [],
): Promise<Record<string, string>> {
  const view = openWorkspace(store, { root, changes });
  const found: [string, string][] = [];
  for (const { kind, path } of await view.list('', true)) {
    if (kind === 'file') found.push([path, Buffer.from(await view.read(path)).toString('utf8')]);
  }
  return Object.fromEntries(found);
}

import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BlobRef } from '../../../domain/store';

const made: string[] = [];

/** Creates a folder that is removed after the tests of the file. */
export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'baton-store-'));
  made.push(folder);
  return folder;
}

afterAll(async () => {
  for (const folder of made.splice(0)) await rm(folder, { recursive: true, force: true });
});

/** Lists every file below a folder, with its relative path. */
export async function filesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  const kinds = await Promise.all(
    names.map(async (name) => ({ name, file: (await stat(join(folder, name))).isFile() })),
  );
  return kinds.flatMap(({ name, file }) => (file ? [name] : [])).sort();
}

export function blobFile(root: string, run: string, ref: BlobRef): string {
  return join(root, 'runs', run, 'blobs', ref.hash);
}

export const utf8 = (text: string): Uint8Array => Buffer.from(text, 'utf8');
export const text = (bytes: Uint8Array | undefined): string | undefined => bytes && Buffer.from(bytes).toString('utf8');

/** Returns the keys of a run's journal, without those of files that are in `known`, and adds their files to it. */
export async function newJournalKeys(root: string, run: string, known: Set<string>): Promise<string[]> {
  const folder = join(root, 'runs', run, 'journal');
  const names = (await readdir(folder).catch(() => [])).filter((name) => !known.has(name));
  for (const name of names) known.add(name);
  const files = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return files.map((file) => (JSON.parse(file.slice(0, file.indexOf('\n'))) as { key: string }).key);
}

import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mapWithLimit } from '../../../domain/kernel';
import { openStore } from '../../../store/open-store';
import { runName } from '../../../store/run-name';
import { newFolder } from '../support/folders';
import { contract } from './contract';

describe('a store of files', () => {
  contract(async () => {
    const root = join(await newFolder(), 'store');
    const folderOf = (run: string, part: string): string => join(root, 'runs', runName(run), part);
    return {
      open: () => openStore({ store: { address: `file:${root}` } }),
      async damage(kind, run, name) {
        const folder = folderOf(run, kind === 'blob' ? 'blobs' : 'journal');
        const found = (await readdir(folder)).find((file) => file.startsWith(name)) ?? '';
        const bytes = await readFile(join(folder, found));
        bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
        await writeFile(join(folder, found), bytes);
      },
      async fill(runs) {
        await mapWithLimit(runs, 100, async (run) => {
          await mkdir(folderOf(run, 'journal'), { recursive: true });
          await writeFile(join(folderOf(run, 'journal'), 'place'), '');
        });
      },
      hasValues: true,
    };
  });
});

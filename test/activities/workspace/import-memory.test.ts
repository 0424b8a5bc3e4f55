import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { typescriptHook } from '../../support/paths';
import { newFolder } from '../../store/workspace/support';

const megabyte = 1024 * 1024;

test('an import needs memory for a few files, not for all of them', async () => {
  const [folder, store] = [await newFolder(), await newFolder()];
  const large = Buffer.alloc(9 * megabyte, 'A line of text, and then another one.\n');
  for (let n = 0; n < 24; n += 1) {
    large.write(`file ${n}`);
    await writeFile(join(folder, `large-${n}.txt`), large);
  }
  await mkdir(join(folder, 'small'));
  for (let n = 0; n < 2_000; n += 1) await writeFile(join(folder, 'small', `${n}.txt`), `file ${n}\n`.repeat(1_000));
  const child = fork(join(__dirname, 'support', 'child.ts'), [folder, store], {
    execArgv: ['-r', typescriptHook],
  });
  const [result] = (await once(child, 'message')) as [unknown];
  expect(result).toMatchObject({ files: 2_024 });
  const { bytes, grown } = result as { bytes: number; grown: number };
  expect(bytes).toBeGreaterThan(230 * megabyte);
  // Two of the largest files, compared with what the store has, and the garbage of many small ones.
  expect(grown).toBeLessThan(100);
});

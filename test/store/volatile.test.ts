import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '../../domain/store';
import { openFileStore } from '../../store/file/open-file-store';

describe('volatile values of the file store', () => {
  let folder: string;
  let store: Store;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'baton-volatile-'));
    store = await openFileStore(folder);
  });
  afterAll(() => rm(folder, { recursive: true }));

  test('are replaced, read and removed, and only their owner can read them', async () => {
    const run = store.forRun('r1');
    await run.put(Buffer.from('so that the run exists'), 'text/plain');
    const values = run.volatile!;
    expect(await values.read('reply/run/r1')).toBeUndefined();
    await values.write('reply/run/r1', Buffer.from('one'));
    await values.write('reply/run/r1', Buffer.from('two'));
    const another = (await openFileStore(folder)).forRun('r1').volatile;
    expect(Buffer.from((await another?.read('reply/run/r1')) ?? []).toString()).toBe('two');
    const files = join(folder, 'runs', 'r1', 'volatile');
    const [name = ''] = await readdir(files);
    expect((await stat(join(files, name))).mode & 0o777).toBe(0o600);
    await values.remove('reply/run/r1');
    await values.remove('reply/run/r1');
    expect(await readdir(files)).toEqual([]);
    expect(await readdir(join(folder, 'runs', 'r1', 'tmp'))).toEqual([]);
  });

  test('never bring back a run that was deleted, and are deleted with it', async () => {
    const run = store.forRun('r2');
    await run.put(Buffer.from('so that the run exists'), 'text/plain');
    await run.volatile?.write('a', Buffer.from('one'));
    await store.deleteRun('r2');
    await expect(run.volatile?.write('a', Buffer.from('two'))).rejects.toThrow();
    expect(await readdir(join(folder, 'runs'))).toEqual(['r1']);
  });
});

import { realFiles, type FileSystem } from '../../store/file-store/file-system';
import { openFileStore } from '../../store/file-store/open-file-store';
import { newFolder, utf8 } from './support/folders';

/** Notes what would matter at a power cut, in order, with ids and hashes taken out of the paths. */
function noted(log: string[], root: string): FileSystem {
  const short = (path: unknown): string =>
    String(path)
      .replace(root, '')
      .replace(/[0-9a-f]{64}/, '<hash>')
      .replace(/blobs\/[0-9a-f]{2}/, 'blobs/xx')
      .replace(/[0-9a-f-]{36}\.tmp/, '<tmp>');
  return {
    ...realFiles,
    open: async (path, flags, mode) => {
      const handle = await realFiles.open(path, flags, mode);
      const sync = handle.sync.bind(handle);
      handle.sync = async () => {
        await sync();
        log.push(`sync ${short(path)}`);
      };
      return handle;
    },
    rename: async (from, to) => {
      await realFiles.rename(from, to);
      log.push(`rename ${short(from)} ${short(to)}`);
    },
    link: async (from, to) => {
      await realFiles.link(from, to);
      log.push(`link ${short(from)} ${short(to)}`);
    },
  };
}

test('a blob is on the disk before it has its name, and its name is before the put returns', async () => {
  const root = await newFolder();
  const log: string[] = [];
  const run = (await openFileStore(root, { files: noted(log, root) })).forRun('r1');
  log.length = 0;
  await run.put(utf8('x'), 'text/plain');
  expect(log.slice(0, 2)).toEqual(['sync /runs/r1/tmp/<tmp>', 'rename /runs/r1/tmp/<tmp> /runs/r1/blobs/xx/<hash>']);
  expect(log.slice(2).sort()).toEqual(['sync /runs', 'sync /runs/r1', 'sync /runs/r1/blobs', 'sync /runs/r1/blobs/xx']);

  log.length = 0;
  await run.put(utf8('x'), 'text/plain');
  expect(log).toEqual(['sync /runs/r1/blobs/xx']);
});

test('a journal record is on the disk before it can be found, and stays there once a winner was told', async () => {
  const root = await newFolder();
  const log: string[] = [];
  const store = await openFileStore(root, { files: noted(log, root) });
  expect(log.slice(0, 3)).toEqual(['sync /<tmp>', 'link /<tmp> /store.json', 'sync ']);
  // Folders are synced side by side.
  expect(log.slice(3).sort()).toEqual(['sync ', 'sync /runs']);
  log.length = 0;
  await store.forRun('r1').putIfAbsent('key', utf8('x'));
  expect(log.slice(0, 2)).toEqual(['sync /runs/r1/tmp/<tmp>', 'link /runs/r1/tmp/<tmp> /runs/r1/journal/<hash>']);
  expect(log.slice(2).sort()).toEqual(['sync /runs', 'sync /runs/r1', 'sync /runs/r1/journal']);
  log.length = 0;
  await store.forRun('r1').putIfAbsent('key', utf8('y'));
  expect(log).toEqual(['sync /runs/r1/journal']);
});

import { type FileSystem, realFiles } from '../../store/file/disk';
import { openFileStore } from '../../store/file/open-file-store';
import { newFolder, utf8 } from './support/folders';

/** Records the operations that matter at a power cut, in order, with ids and hashes removed from the paths. */
function noted(log: string[], root: string): FileSystem {
  const short = (path: unknown): string =>
    String(path)
      .replace(root, '')
      .replace(/[0-9a-f]{64}/, '<hash>')
      .replace(/[0-9a-f-]{36}\.tmp/, '<tmp>');
  const opened = new Map<number, string>();
  return {
    ...realFiles,
    writeFile: async (path, bytes, options) => {
      await realFiles.writeFile(path, bytes, options);
      log.push(`sync ${short(path)}`);
    },
    open: async (path, flags) => {
      const descriptor = await realFiles.open(path, flags);
      opened.set(descriptor, path);
      return descriptor;
    },
    fsync: async (descriptor) => {
      await realFiles.fsync(descriptor);
      log.push(`sync ${short(opened.get(descriptor))}`);
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

test('a blob is on the disk before it gets its name, and its name is on the disk before the put returns', async () => {
  const root = await newFolder();
  const log: string[] = [];
  const run = (await openFileStore(root, { files: noted(log, root) })).forRun('r1');
  log.length = 0;
  await run.put(utf8('x'), 'text/plain');
  expect(log.slice(0, 2)).toEqual(['sync /runs/r1/tmp/<tmp>', 'rename /runs/r1/tmp/<tmp> /runs/r1/blobs/<hash>']);
  expect(log.slice(2).sort()).toEqual(['sync /runs', 'sync /runs/r1', 'sync /runs/r1/blobs']);

  log.length = 0;
  await run.put(utf8('x'), 'text/plain');
  expect(log).toEqual(['sync /runs/r1/blobs']);
});

test('a journal record is on the disk before it can be found, and its name before the winner is returned', async () => {
  const root = await newFolder();
  const log: string[] = [];
  const store = await openFileStore(root, { files: noted(log, root) });
  expect(log.slice(0, 3)).toEqual(['sync /<tmp>', 'link /<tmp> /store.json', 'sync ']);
  // Folders are synced concurrently.
  expect(log.slice(3).sort()).toEqual(['sync ', 'sync /runs']);
  log.length = 0;
  await store.forRun('r1').putIfAbsent('key', utf8('x'));
  expect(log.slice(0, 2)).toEqual(['sync /runs/r1/tmp/<tmp>', 'link /runs/r1/tmp/<tmp> /runs/r1/journal/key.<hash>']);
  expect(log.slice(2).sort()).toEqual(['sync /runs', 'sync /runs/r1', 'sync /runs/r1/journal']);
  log.length = 0;
  await store.forRun('r1').putIfAbsent('key', utf8('y'));
  expect(log).toEqual(['sync /runs/r1/tmp/<tmp>', 'sync /runs/r1/journal']);
});

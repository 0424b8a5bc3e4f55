import { rename, rm, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreFullError, StoreUnavailableError } from '../../domain/store';
import { type FileSystem, realFiles } from '../../store/file/disk';
import { openFileStore } from '../../store/file/open-file-store';
import { blobFile, filesIn, newFolder, text, utf8 } from './support/folders';

function osError(code: string): Error {
  return Object.assign(new Error(`${code}: made up`), { code, syscall: 'write' });
}

/** A disk that writes half of each file and then fails, while `failing.code` is set. */
function failingDisk(failing: { code: string | undefined }): FileSystem {
  const writeFile: FileSystem['writeFile'] = async (path, bytes, options) => {
    if (failing.code === undefined) return realFiles.writeFile(path, bytes, options);
    await realFiles.writeFile(path, bytes.subarray(0, Math.floor(bytes.byteLength / 2)), options);
    throw osError(failing.code);
  };
  return { ...realFiles, writeFile };
}

test.each(['ENOSPC', 'EDQUOT'])(
  'a full disk (%s) results in a retryable failure and no partial files',
  async (code) => {
    const root = await newFolder();
    const failing: { code: string | undefined } = { code: undefined };
    const run = (await openFileStore(root, { files: failingDisk(failing) })).forRun('r1');
    const before = await filesIn(root);
    failing.code = code;
    const putting = run.put(utf8('too much'), 'text/plain');
    await expect(putting).rejects.toThrow(StoreFullError);
    await expect(putting).rejects.toMatchObject({ type: 'Store.Full' });
    await expect(run.putIfAbsent('key', utf8('too much'))).rejects.toThrow(StoreFullError);
    expect(await filesIn(root)).toEqual(before);

    failing.code = undefined;
    const ref = await run.put(utf8('too much'), 'text/plain');
    expect(text(await run.get(ref, 'the test'))).toBe('too much');
    expect(await run.find('key')).toBeUndefined();
  },
);

const onLinux = (name: string, work: () => Promise<void>): void => {
  if (process.platform === 'linux') test(name, work);
  else test.skip(`${name} (skipped: only on Linux)`, work);
};
onLinux('what the kernel says of a full device is understood', async () => {
  const files: FileSystem = {
    ...realFiles,
    writeFile: (_path, bytes) => writeFile('/dev/full', bytes, { flag: 'w' }),
  };
  const root = await newFolder();
  await openFileStore(root);
  const run = (await openFileStore(root, { files })).forRun('r1');
  await expect(run.put(utf8('x'), 'text/plain')).rejects.toThrow(StoreFullError);
});

test.each(['EACCES', 'EROFS', 'EIO'])('a store that cannot be written (%s) says why', async (code) => {
  const root = await newFolder();
  const failing: { code: string | undefined } = { code: undefined };
  const run = (await openFileStore(root, { files: failingDisk(failing) })).forRun('r1');
  failing.code = code;
  const putting = run.put(utf8('x'), 'text/plain');
  await expect(putting).rejects.toThrow(StoreUnavailableError);
  await expect(putting).rejects.toThrow(code);
});

test('a store below a file cannot be opened, and the error says so', async () => {
  const file = join(await newFolder(), 'file');
  await writeFile(file, '');
  await expect(openFileStore(join(file, 'store'))).rejects.toThrow(/ENOTDIR/);
  await expect(openFileStore(file)).rejects.toThrow(StoreUnavailableError);
});

test('a file in the place of a folder of the run is named', async () => {
  const root = await newFolder();
  const run = (await openFileStore(root)).forRun('r1');
  await writeFile(join(root, 'runs', 'r1'), '');
  await expect(run.put(utf8('x'), 'text/plain')).rejects.toThrow(StoreUnavailableError);
});

test('an unmounted volume is not an empty store, and works again when it is mounted', async () => {
  const root = join(await newFolder(), 'store');
  const store = await openFileStore(root);
  const run = store.forRun('r1');
  const ref = await run.put(utf8('x'), 'text/plain');
  await rename(root, `${root}-away`);
  for (const work of [
    () => run.get(ref, 'the test'),
    () => run.has(ref),
    () => run.put(utf8('y'), 'text/plain'),
    () => run.find('key'),
    () => run.putIfAbsent('key', utf8('y')),
    () => store.listRuns(),
    () => store.deleteRun('r1'),
  ]) {
    await expect(work()).rejects.toThrow(StoreUnavailableError);
  }
  await rename(`${root}-away`, root);
  expect(text(await run.get(ref, 'the test'))).toBe('x');
  await run.put(utf8('y'), 'text/plain');
});

test('a put that fails after its rename succeeds when it is repeated', async () => {
  const root = await newFolder();
  let broken = true;
  const files: FileSystem = {
    ...realFiles,
    open: (path, flags) => {
      if (broken && path.includes('blobs')) return Promise.reject(osError('EIO'));
      return realFiles.open(path, flags);
    },
  };
  const run = (await openFileStore(root, { files })).forRun('r1');
  await expect(run.put(utf8('x'), 'text/plain')).rejects.toThrow(StoreUnavailableError);
  broken = false;
  const ref = await run.put(utf8('x'), 'text/plain');
  expect(text(await run.get(ref, 'the test'))).toBe('x');
});

test('a folder is closed even when its sync fails', async () => {
  let broken = false;
  let open = 0;
  const files: FileSystem = {
    ...realFiles,
    open: async (path, flags) => {
      const descriptor = await realFiles.open(path, flags);
      open += 1;
      return descriptor;
    },
    fsync: (descriptor) => (broken ? Promise.reject(osError('EIO')) : realFiles.fsync(descriptor)),
    close: async (descriptor) => {
      await realFiles.close(descriptor);
      open -= 1;
    },
  };
  const run = (await openFileStore(await newFolder(), { files })).forRun('r1');
  await run.put(utf8('x'), 'text/plain');
  await run.putIfAbsent('first', utf8('x'));
  broken = true;
  await expect(run.put(utf8('y'), 'text/plain')).rejects.toThrow(StoreUnavailableError);
  await expect(run.putIfAbsent('key', utf8('y'))).rejects.toThrow(StoreUnavailableError);
  expect(open).toBe(0);
});

test('a folder that cannot be synced does not cause a failure', async () => {
  const files: FileSystem = {
    ...realFiles,
    open: () => Promise.reject(osError('EINVAL')),
  };
  const run = (await openFileStore(await newFolder(), { files })).forRun('r1');
  expect(await run.has(await run.put(utf8('x'), 'text/plain'))).toBe(true);
});

test('a journal entry written while its run is deleted is stored in a new folder of the run', async () => {
  const root = await newFolder();
  const run = (await openFileStore(root)).forRun('r1');
  await run.putIfAbsent('key', utf8('before'));
  await rm(join(root, 'runs', 'r1'), { recursive: true });
  expect(text(await run.putIfAbsent('key', utf8('after')))).toBe('after');
  expect(text(await run.find('key'))).toBe('after');
});

test('a blob put while its run is deleted is stored in a new folder of the run', async () => {
  const root = await newFolder();
  const store = await openFileStore(root);
  const run = store.forRun('r1');
  const ref = await run.put(utf8('x'), 'text/plain');
  await rm(join(root, 'runs', 'r1'), { recursive: true });
  await run.put(utf8('x'), 'text/plain');
  expect(text(await run.get(ref, 'the test'))).toBe('x');
  await unlink(blobFile(root, 'r1', ref));
  await rm(join(root, 'runs', 'r1', 'tmp'), { recursive: true });
  await run.put(utf8('x'), 'text/plain');
  expect(text(await run.get(ref, 'the test'))).toBe('x');
});

test.each(['ENOSPC', 'EROFS'])('a key that is taken is answered although nothing can be written (%s)', async (code) => {
  const failing: { code: string | undefined } = { code: undefined };
  const run = (await openFileStore(await newFolder(), { files: failingDisk(failing) })).forRun('r1');
  await run.putIfAbsent('key', utf8('first'));
  failing.code = code;
  expect(text(await run.putIfAbsent('key', utf8('second')))).toBe('first');
});

describe('checking that the store can be written', () => {
  test.each([
    ['ENOSPC', 'Store.Full'],
    ['EDQUOT', 'Store.Full'],
    ['EROFS', 'Store.Unavailable'],
    ['EACCES', 'Store.Unavailable'],
    ['EIO', 'Store.Unavailable'],
  ])('reports %s as %s, until it can be written again', async (code, type) => {
    const root = await newFolder();
    const failing: { code: string | undefined } = { code: undefined };
    const store = await openFileStore(root, { files: failingDisk(failing) });
    const before = await filesIn(root);
    failing.code = code;
    await expect(store.checkWritable()).rejects.toMatchObject({ type });
    await expect(store.checkWritable()).rejects.toMatchObject({ type });
    failing.code = undefined;
    await store.checkWritable();
    expect(await filesIn(root)).toEqual(before);
  });

  test('reports a folder that is gone, and does not create it', async () => {
    const root = join(await newFolder(), 'store');
    const store = await openFileStore(root);
    await rename(root, `${root}-away`);
    await expect(store.checkWritable()).rejects.toThrow(/store.json is gone; is the volume mounted/);
    await rename(`${root}-away`, root);
    await store.checkWritable();
  });

  test('reports a write that failed after one that succeeded', async () => {
    const failing: { code: string | undefined } = { code: undefined };
    const store = await openFileStore(await newFolder(), { files: failingDisk(failing) });
    await store.forRun('r1').put(utf8('x'), 'text/plain');
    failing.code = 'ENOSPC';
    await expect(store.forRun('r1').put(utf8('y'), 'text/plain')).rejects.toThrow(StoreFullError);
    await expect(store.checkWritable()).rejects.toThrow(StoreFullError);
  });
});

test('a record is found although the store was away when it was looked for, and came back at once', async () => {
  const root = await newFolder();
  let isAway = false;
  const files: FileSystem = {
    ...realFiles,
    readFile: async (path) => {
      if (!isAway) return realFiles.readFile(path);
      await rename(root, `${root}-away`);
      isAway = false;
      return realFiles.readFile(path).finally(() => rename(`${root}-away`, root));
    },
  };
  const run = (await openFileStore(root, { files })).forRun('r1');
  await run.putIfAbsent('answer', utf8('paid for'));
  isAway = true;
  expect(text(await run.find('answer'))).toBe('paid for');
});

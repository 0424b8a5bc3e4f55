import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunStore, Store } from '../../domain/store';
import { type FileSystem, realFiles } from '../../store/file/disk';
import { openFileStore } from '../../store/file/open-file-store';
import { newFolder, utf8 } from './support/folders';

const later = { later: true } as const;

interface Stage {
  readonly store: Store;
  /** A run to which a file was published. */
  readonly run: RunStore;
  readonly folder: string;
  /** Number of files that were created to be published, and whether another one can be. */
  readonly disk: { created: number; isFull: boolean };
  /** Temporary files of the run. */
  temporary(): Promise<readonly string[]>;
}

async function openStage(): Promise<Stage> {
  const disk = { created: 0, isFull: false };
  const files: FileSystem = {
    ...realFiles,
    create: async (path, options) => {
      if (disk.isFull) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC', syscall: 'open' });
      disk.created += 1;
      return realFiles.create(path, options);
    },
  };
  const folder = await newFolder();
  const store = await openFileStore(folder, { files });
  const run = store.forRun('r1');
  await run.put(utf8('first'), 'text/plain', later);
  await run.flush();
  disk.created = 0;
  return { store, run, folder, disk, temporary: () => readdir(join(folder, 'runs', 'r1', 'tmp')) };
}

/** A clock and timers that a test moves. */
class ControlledTime {
  private now = 0;
  private timers: { readonly at: number; readonly work: () => void }[] = [];

  constructor() {
    jest.spyOn(performance, 'now').mockImplementation(() => this.now);
    jest.spyOn(globalThis, 'setTimeout').mockImplementation(((work: () => void, ms: number) => {
      this.timers.push({ at: this.now + ms, work });
      return { unref: () => ({}) };
    }) as never);
  }

  pass(ms: number): void {
    this.now += ms;
    const due = this.timers.filter(({ at }) => at <= this.now);
    this.timers = this.timers.filter(({ at }) => at > this.now);
    for (const { work } of due) work();
  }
}

afterEach(() => {
  jest.restoreAllMocks();
});

/** Writes texts for later, and reads them back. */
async function write(run: RunStore, ...texts: readonly string[]): Promise<void> {
  for (const text of texts) {
    const ref = await run.put(utf8(text), 'text/plain', later);
    expect(await run.get(ref, 'this test')).toEqual(Buffer.from(text));
  }
}

test('expected writes find their files created', async () => {
  const { run, disk, temporary } = await openStage();
  run.expectWrites?.(2);
  await new Promise(setImmediate);
  expect(disk.created).toBe(2);
  await write(run, 'a', 'b');
  expect(disk.created).toBe(2);
  await write(run, 'c');
  expect(disk.created).toBe(3);
  await run.flush();
  expect(await temporary()).toEqual([]);
});

test('a write that comes at once creates its own file', async () => {
  const { run, disk, temporary } = await openStage();
  run.expectWrites?.(2);
  await write(run, 'a', 'b');
  expect(disk.created).toBe(2);
  await run.flush();
  expect(await temporary()).toEqual([]);
});

test('whatever object of a run needs them', async () => {
  const { store, run, disk } = await openStage();
  run.expectWrites?.(1);
  await new Promise(setImmediate);
  await write(store.forRun('r2'), 'a');
  await write(store.forRun('r1'), 'b');
  expect(disk.created).toBe(2);
});

test('files that nobody needed are removed after a minute', async () => {
  const { run, disk, temporary } = await openStage();
  const time = new ControlledTime();
  run.expectWrites?.(2);
  await write(run, 'a');
  await run.flush();
  expect(await temporary()).toHaveLength(1);
  time.pass(59_000);
  run.expectWrites?.(1);
  while (disk.created < 3) await new Promise(setImmediate);
  expect(await temporary()).toHaveLength(2);
  time.pass(2_000);
  // The other one was created two seconds ago.
  while ((await temporary()).length > 1) await new Promise(setImmediate);
  time.pass(57_000);
  expect(await temporary()).toHaveLength(1);
  time.pass(2_000);
  while ((await temporary()).length > 0) await new Promise(setImmediate);
});

test('there is a limit to how many are open', async () => {
  const { run, disk, temporary } = await openStage();
  run.expectWrites?.(100);
  while (disk.created < 100 || (await temporary()).length > 64) await new Promise(setImmediate);
  expect(await temporary()).toHaveLength(64);
});

test('a write reports by itself what kept its file from being created', async () => {
  const { run, disk } = await openStage();
  disk.isFull = true;
  run.expectWrites?.(1);
  await new Promise(setImmediate);
  await expect(write(run, 'a')).rejects.toMatchObject({ type: 'Store.Full' });
  disk.isFull = false;
  await write(run, 'a');
});

test('files of a run that was deleted meanwhile are not used', async () => {
  const { store, run } = await openStage();
  run.expectWrites?.(2);
  await new Promise(setImmediate);
  await write(run, 'a');
  await store.deleteRun('r1');
  await write(store.forRun('r1'), 'b', 'c');
});

import { createHook } from 'node:async_hooks';
import type { RunStore } from '../../domain/store';
import { openFileStore } from '../../store/file/open-file-store';
import { newFolder, utf8 } from './support/folders';

/** Returns how many calls to the file system the work hands to other threads. */
async function handedOver(work: () => Promise<unknown>): Promise<number> {
  let calls = 0;
  const hook = createHook({
    init: (_id, type) => {
      if (type === 'FSREQCALLBACK') calls += 1;
    },
  }).enable();
  try {
    await work();
  } finally {
    hook.disable();
  }
  return calls;
}

const later = { later: true } as const;

/** A run in which the first file was published, as in all activities of a worker but the first. */
async function warmRun(): Promise<RunStore> {
  const store = await openFileStore(await newFolder());
  const run = store.forRun('r1');
  await run.put(utf8('first'), 'text/plain', later);
  await run.putIfAbsent('first', utf8('first'), later);
  await run.flush();
  // Reads which store it is.
  await run.find('nothing');
  return store.forRun('r1');
}

// Handing a call to another thread takes longer than most calls, and an agent makes dozens of them in every turn.
test('only what may have to wait for the disk is done by another thread', async () => {
  const run = await warmRun();
  expect(await handedOver(() => run.find('nothing'))).toBe(0);
  // Files are created.
  expect(await handedOver(() => run.put(utf8('x'), 'text/plain', later))).toBe(1);
  expect(await handedOver(() => run.putIfAbsent('x', utf8('x'), later))).toBe(1);
  // Two files and two folders are synced.
  expect(await handedOver(() => run.flush())).toBe(4);
  expect(await handedOver(() => run.find('x'))).toBeGreaterThan(0);
});

test('a store that may be elsewhere is never waited for', async () => {
  const store = await openFileStore(await newFolder());
  expect(await handedOver(() => store.forRun('r1').find('nothing'))).toBeGreaterThan(0);
});

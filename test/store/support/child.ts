// A separate process for tests that need two writers, or one that dies. Arguments: the action, the store's folder,
// more.
import { type FileSystem, realFiles } from '../../../store/file/disk';
import { openFileStore } from '../../../store/file/open-file-store';

const [action = '', root = '', ...more] = process.argv.slice(2);

const die = (): Promise<never> => {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => undefined);
};

/** Reports that it is ready and waits for a signal, so that several processes start at the same moment. */
async function startTogether(): Promise<void> {
  process.stdout.write('ready\n');
  await new Promise((resolve) => process.stdin.once('data', resolve));
}

const actions: Record<string, () => Promise<unknown>> = {
  async open() {
    await startTogether();
    return (await openFileStore(root)).id;
  },
  async dieBeforePublishing() {
    const files: FileSystem = { ...realFiles, rename: die, link: die };
    const store = (await openFileStore(root, { files })).forRun('r1');
    await (more[0] === 'journal' ? store.putIfAbsent('key', bytes('half')) : store.put(bytes('half'), 'text/plain'));
  },
  async dieAfterPublishing() {
    const store = (await openFileStore(root)).forRun('r1');
    await store.put(bytes('blob'), 'text/plain', { later: true });
    await store.putIfAbsent('key', bytes('record'), { later: true });
    await die();
  },
  async dieWhileDeleting() {
    const store = await openFileStore(root, { files: { ...realFiles, rm: die } });
    await store.deleteRun('r1');
  },
  async put() {
    const store = (await openFileStore(root)).forRun('r1');
    await startTogether();
    const contents = Array.from({ length: Number(more[0]) }, (_, n) => `content ${n} `.repeat(500));
    return Promise.all(contents.map((content) => store.put(bytes(content), 'text/plain')));
  },
  async race() {
    const store = (await openFileStore(root)).forRun('r1');
    await startTogether();
    const mine = Array.from({ length: Number(more[0]) }, (_, n) => `${process.pid}-${n} `.repeat(1000));
    const winners = await Promise.all(mine.map((text) => store.putIfAbsent('key', bytes(text))));
    return [...new Set(winners.map((winner) => Buffer.from(winner).toString()))];
  },
};

function bytes(text: string): Uint8Array {
  return Buffer.from(text, 'utf8');
}

void actions[action]?.().then((result) => {
  process.stdout.write(JSON.stringify(result ?? null), () => process.exit(0));
});

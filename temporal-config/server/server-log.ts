import { open, rename, rm, stat, type FileHandle } from 'node:fs/promises';

const rotateAboveBytes = 4 * 1024 * 1024;

/** Opens the log for a new server process. What grew too big moves aside, one generation is kept. */
export async function openServerLog(file: string): Promise<{ handle: FileHandle; from: number }> {
  if ((await sizeOf(file)) > rotateAboveBytes) {
    await rm(`${file}.1`, { force: true });
    await rename(file, `${file}.1`);
  }
  const from = await sizeOf(file);
  return { handle: await open(file, 'a', 0o600), from };
}

const readAtMostBytes = 64 * 1024;
const linesShown = 12;

/** What was written since byte `from`: the words of this server, not of an earlier one. */
export async function readServerLog(file: string, from: number): Promise<string> {
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(readAtMostBytes), 0, readAtMostBytes, from);
    return buffer.toString('utf8', 0, bytesRead).trim();
  } finally {
    await handle.close();
  }
}

/** The last lines that say something: of a crash its reason, not the pages of stack below. */
export function gist(said: string): string {
  const beforeStack = said
    .split(/^goroutine \d+ /m, 1)
    .join('')
    .trim();
  return beforeStack.split('\n').slice(-linesShown).join('\n');
}

async function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}

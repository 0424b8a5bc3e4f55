import { open, rename, rm, stat, type FileHandle } from 'node:fs/promises';

const rotateAboveBytes = 4 * 1024 * 1024;

/** Opens the log for a new server process. Rotates a log that is too large, keeping one older file. */
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

/** Returns what was written since byte `from`, which is the output of this server and not of an earlier one. */
export async function readServerLog(file: string, from: number): Promise<string> {
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(readAtMostBytes), 0, readAtMostBytes, from);
    return buffer.toString('utf8', 0, bytesRead).trim();
  } finally {
    await handle.close();
  }
}

/** Returns the last informative lines: for a crash the reason, without the stack below it. */
export function lastMeaningfulLines(output: string): string {
  const beforeStack = output
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

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

/** The last lines written since byte `from`: what this server said, not an earlier one. */
export async function lastLogLines(file: string, from: number, count = 12): Promise<string> {
  const handle = await open(file, 'r');
  try {
    const end = (await handle.stat()).size;
    const start = Math.max(from, end - 16 * 1024);
    const { buffer, bytesRead } = await handle.read(
      Buffer.alloc(Math.max(0, end - start)),
      0,
      Math.max(0, end - start),
      start,
    );
    return buffer.toString('utf8', 0, bytesRead).trim().split('\n').slice(-count).join('\n');
  } finally {
    await handle.close();
  }
}

async function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}

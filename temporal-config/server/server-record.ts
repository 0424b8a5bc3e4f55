import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { z } from 'zod';

const recordSchema = z.object({
  pid: z.int().positive(),
  address: z.string().min(1),
  uiUrl: z.string().min(1),
  binary: z.string(),
  version: z.string(),
  startedAt: z.string(),
});

/** What `server.json` says about the server of a state folder. A claim, to be checked against the process table. */
export type ServerRecord = Readonly<z.infer<typeof recordSchema>>;

export async function readRecord(file: string): Promise<ServerRecord | undefined> {
  try {
    return recordSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    // Missing, half written or edited by hand: all the same, the process table knows better.
    return undefined;
  }
}

export async function writeRecord(file: string, record: ServerRecord): Promise<void> {
  const unfinished = `${file}.${process.pid}`;
  await writeFile(unfinished, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
  await rename(unfinished, file);
}

export async function removeRecord(file: string): Promise<void> {
  await rm(file, { force: true });
}

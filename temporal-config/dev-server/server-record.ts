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

/**
 * The content of `server.json`, which describes the server of a state folder. It may be outdated, so it is checked
 * against the process table.
 */
export type ServerRecord = Readonly<z.infer<typeof recordSchema>>;

/** Reads a server record; undefined when it is missing or damaged. */
export async function readRecord(file: string): Promise<ServerRecord | undefined> {
  try {
    return recordSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    // Whether it is missing, incomplete or edited by hand makes no difference: the process table is authoritative.
    return undefined;
  }
}

/** Writes a server record in one step. */
export async function writeRecord(file: string, record: ServerRecord): Promise<void> {
  const unfinished = `${file}.${process.pid}`;
  await writeFile(unfinished, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
  await rename(unfinished, file);
}

/** Removes a server record if it exists. */
export async function removeRecord(file: string): Promise<void> {
  await rm(file, { force: true });
}

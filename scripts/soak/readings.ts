import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readQueues } from '../../client/why/task-queues';
import { type Scene, taskQueue } from './scene';
import { useOf } from './worker-process';

/** What is measured. Sizes are in bytes; those of workers are means over all of them. */
export interface Reading {
  readonly at: number;
  readonly resident: number;
  readonly mainHeap: number;
  readonly sandboxHeap: number;
  readonly openFiles: number;
  /** Files in the folder for temporary files, and files of the store that are being written. */
  readonly temporaryFiles: number;
  readonly storeBytes: number;
  readonly storeFiles: number;
  /** Tasks that no worker has started, over all task queues. */
  readonly backlog: number;
  readonly openWorkflows: number;
  readonly serverMemory: number;
  readonly serverDatabase: number;
}

/** Measures everything once. Takes about a second, because workers collect their garbage first. */
export async function read({ client, workers, serverPid, folders }: Scene): Promise<Reading> {
  const heaps = await Promise.all(workers.map((worker) => worker.heaps()));
  const uses = await Promise.all(workers.map(({ pid }) => useOf(pid)));
  const [store, temporary, database] = await Promise.all([
    measureFolder(folders.store),
    measureFolder(folders.temporary),
    measureFolder(folders.state),
  ]);
  const queues = await readQueues(client, taskQueue);
  return {
    at: Date.now(),
    resident: mean(uses.map(({ resident }) => resident)),
    mainHeap: mean(heaps.map(({ main }) => main)),
    sandboxHeap: mean(heaps.map(({ sandbox }) => sandbox)),
    openFiles: mean(uses.map(({ openFiles }) => openFiles)),
    temporaryFiles: temporary.files + store.beingWritten,
    storeBytes: store.bytes,
    storeFiles: store.files,
    backlog: queues.reduce((sum, { waiting }) => sum + waiting, 0),
    openWorkflows: (await client.workflow.count(`ExecutionStatus = 'Running'`)).count,
    serverMemory: (await useOf(serverPid)).resident,
    serverDatabase: database.bytes,
  };
}

interface FolderSize {
  readonly files: number;
  readonly bytes: number;
  /** Files in folders named `tmp`. */
  readonly beingWritten: number;
}

/** Measures a folder that changes meanwhile. */
export async function measureFolder(path: string): Promise<FolderSize> {
  const entries = await entriesOf(path);
  const files = entries.filter((entry) => entry.isFile());
  let bytes = 0;
  for (const { parentPath, name } of files) {
    bytes += (await stat(join(parentPath, name)).catch(() => undefined))?.size ?? 0;
  }
  return {
    files: files.length,
    bytes,
    beingWritten: files.filter(({ parentPath }) => parentPath.endsWith('/tmp')).length,
  };
}

/** Lists everything in a folder. A folder that is deleted meanwhile makes the whole listing fail, so it is repeated. */
async function entriesOf(path: string): Promise<Dirent[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await readdir(path, { recursive: true, withFileTypes: true });
    } catch (error) {
      if (attempt === 10) throw error;
    }
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

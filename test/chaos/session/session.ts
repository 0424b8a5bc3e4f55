import type { Client } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Store } from '../../../domain/store';
import { openFileStore } from '../../../store/file/open-file-store';
import { findSandbox } from '../../../temporal-config/node/find-sandbox';
import { say, type ScriptedModel, startScriptedModel } from '../../../testing/scripted-model';
import { workspaceFiles } from '../tree/uses';
import { OwnServer } from './server';
import { StallWatch } from './stalls';
import { Workers } from './workers';

/** Everything that rounds need, and that they disturb: a server on its own database, workers, a model, a store. */
export interface ChaosSession {
  /** Contains everything on disk, and is part of the command line or environment of every process. */
  readonly folder: string;
  readonly logs: string;
  readonly server: OwnServer;
  readonly client: Client;
  readonly model: ScriptedModel;
  readonly store: Store;
  readonly workers: Workers;
  readonly taskQueue: string;
  /** Folder that every run mounts. */
  readonly workspace: string;
  readonly hasCommands: boolean;
  /** Stalls of this process, which plays the model and the operator. */
  readonly stalls: StallWatch;
  close(): Promise<void>;
}

/** Workers of a session. With two, one takes over while the other is in trouble. */
const workerCount = 2;

export async function openSession(): Promise<ChaosSession> {
  const folder = await mkdtemp(join(tmpdir(), 'baton-chaos-'));
  const closing: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true, maxRetries: 10 })];
  const closeAll = async (): Promise<void> => {
    for (const step of closing.reverse()) await step();
  };
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => (closed ??= closeAll());
  try {
    const places = await makeFolders(folder);
    const server = await OwnServer.start(join(folder, 'state'));
    closing.push(() => server.close());
    const model = await startScriptedModel(() => say('Nobody plays.'));
    closing.push(() => model.close());
    const store = await openFileStore(places.store);
    const taskQueue = `chaos-${randomUUID().slice(0, 8)}`;
    const hasCommands = (await findSandbox()).kind !== 'none';
    const env = { ...process.env, TMPDIR: places.temporary, BATON_CHAOS: folder };
    const { address } = server;
    const paths = { storeDir: places.store, scratchDir: places.scratch, modelUrl: model.baseUrl };
    const workers = new Workers({ address, taskQueue, hasCommands, ...paths, env }, places.logs, workerCount);
    closing.push(() => workers.close());
    await workers.fill();
    const { client } = server.connected;
    return {
      folder,
      ...places,
      server,
      client,
      model,
      store,
      workers,
      taskQueue,
      hasCommands,
      stalls: new StallWatch(),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function makeFolders(
  folder: string,
): Promise<Record<'logs' | 'store' | 'scratch' | 'temporary' | 'workspace', string>> {
  const names = ['logs', 'store', 'scratch', 'temporary', 'workspace'] as const;
  for (const name of names) await mkdir(join(folder, name), { mode: 0o700 });
  for (const [path, content] of Object.entries(workspaceFiles)) {
    await mkdir(dirname(join(folder, 'workspace', path)), { recursive: true });
    await writeFile(join(folder, 'workspace', path), content);
  }
  const [logs, store, scratch, temporary, workspace] = names.map((name) => join(folder, name)) as [
    string,
    string,
    string,
    string,
    string,
  ];
  return { logs, store, scratch, temporary, workspace };
}

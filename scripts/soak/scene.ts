import type { Client } from '@temporalio/client';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scriptedEnvironment } from '../../cli/service/scripted-environment';
import { ensureDevServer } from '../../temporal-config/dev-server/dev-server';
import { connectClient } from '../../temporal-config/node/connect-client';
import { devServerConnection } from '../../temporal-config/node/connection';
import { registerSearchAttributes } from '../../temporal-config/node/search-attributes-setup';
import { startScriptedModel } from '../../testing/scripted-model';
import { playStory } from './stories';
import { SoakWorker } from './worker-process';

export const taskQueue = 'soak';

/** Everything that a soak uses: a server, workers and folders, all of its own. */
export interface Scene {
  readonly client: Client;
  readonly serverPid: number;
  readonly workers: readonly SoakWorker[];
  readonly folders: SceneFolders;
  /** Environment variables with which a command finds the server and the store. */
  readonly env: Readonly<Record<string, string>>;
  /** Ends everything and deletes all data. Safe to call twice. */
  close(): Promise<void>;
}

interface SceneFolders {
  /** State of the server, with its database. */
  readonly state: string;
  readonly store: string;
  /** Folder for temporary files of the workers. */
  readonly temporary: string;
  /** What agents work on. */
  readonly workspace: string;
}

const sample = join(__dirname, '..', '..', 'examples', 'sample-project');

/** Starts a scene. If a part of it does not start, those before it are closed. */
export async function startScene(workers: number, say: (line: string) => void): Promise<Scene> {
  const opened: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (let next = opened.pop(); next !== undefined; next = opened.pop()) await next().catch(() => undefined);
  };
  try {
    const root = await mkdtemp(join(tmpdir(), 'baton-soak-'));
    opened.push(() => rm(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }));
    const folders = await makeFolders(root);
    const server = await ensureDevServer({ stateDir: folders.state, log: say });
    opened.push(() => server.release());
    const connected = await connectClient(devServerConnection(server));
    opened.push(() => connected.close());
    await registerSearchAttributes(connected.client.connection, server.namespace);
    const model = await startScriptedModel(playStory);
    opened.push(() => model.close());
    const env = {
      TEMPORAL_ADDRESS: server.address,
      BATON_STATE_DIR: folders.state,
      BATON_STORE_DIR: folders.store,
      BATON_TASK_QUEUE: taskQueue,
      TMPDIR: folders.temporary,
    };
    const started: SoakWorker[] = [];
    opened.push(() => Promise.all(started.map((worker) => worker.stop())));
    const settings = { ...env, ...scriptedEnvironment(model), BATON_LOG_LEVEL: 'ERROR', BATON_SANDBOX: 'off' };
    for (let index = 0; index < workers; index += 1) started.push(await SoakWorker.start(settings, root));
    say(`${workers} workers, the server at ${server.address}, all data in ${root}`);
    return { client: connected.client, serverPid: server.pid, workers: started, folders, env, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function makeFolders(root: string): Promise<SceneFolders> {
  const folder = (name: string): string => join(root, name);
  const folders = {
    state: folder('state'),
    store: folder('store'),
    temporary: folder('tmp'),
    workspace: folder('workspace'),
  };
  for (const path of [folders.state, folders.temporary]) await mkdir(path);
  await cp(sample, folders.workspace, { recursive: true });
  return folders;
}

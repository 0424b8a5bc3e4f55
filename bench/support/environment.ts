import type { Client } from '@temporalio/client';
import type { NativeConnection, Worker } from '@temporalio/worker';
import { join } from 'node:path';
import type { ModelPort } from '../../activities/dependencies';
import { createAnthropicModel } from '../../activities/model/anthropic-model';
import type { Store } from '../../domain/store';
import { openFileStore } from '../../store/file/open-file-store';
import { ensureDevServer } from '../../temporal-config/dev-server/dev-server';
import { connectClient } from '../../temporal-config/node/connect-client';
import { connectWorker } from '../../temporal-config/node/connect-worker';
import { devServerConnection } from '../../temporal-config/node/connection';
import { registerSearchAttributes } from '../../temporal-config/node/search-attributes-setup';
import { silenceWorkers } from '../../testing/quiet-runtime';
import { CountingFiles } from './counting-files';
import { cpuSecondsOf } from './cpu-time';
import { startModelProcess } from './model-process';

type AnyWorker = Pick<Worker, 'run' | 'shutdown'>;

/**
 * The environment of a measurement: a separate server with a fresh database, a store, and a model in a separate
 * process.
 */
export interface BenchEnvironment {
  readonly client: Client;
  readonly connection: NativeConnection;
  readonly store: Store;
  /** Folder of the store. */
  readonly storeDir: string;
  /** Calls of the store to the file system. */
  readonly files: CountingFiles;
  readonly model: ModelPort;
  /** Environment variables with which a worker or a command in a separate process finds all of this. */
  readonly variables: Readonly<Record<string, string>>;
  /** Makes the model play a script of `models/`. */
  play(script: string): Promise<void>;
  /** Runs a worker until `stopWorkers` is called. */
  run(worker: AnyWorker): void;
  stopWorkers(): Promise<void>;
  /** Processor time that this process, with all workers in it, and the server have needed so far. */
  cpuSeconds(): number;
  close(): Promise<void>;
}

/** Starts the environment of a measurement, with everything that it keeps in this folder. */
export async function startEnvironment(folder: string): Promise<BenchEnvironment> {
  silenceWorkers();
  const server = await ensureDevServer({ stateDir: folder, log: (line) => process.stderr.write(`${line}\n`) });
  const target = devServerConnection(server);
  const { client, close } = await connectClient(target);
  const connection = await connectWorker(target);
  await registerSearchAttributes(client.connection, 'default');
  const model = await startModelProcess();
  const files = new CountingFiles();
  const storeDir = join(folder, 'store');
  const workers = new RunningWorkers();
  return {
    client,
    connection,
    store: await openFileStore(storeDir, { files: files.files }),
    storeDir,
    files,
    model: createAnthropicModel({ apiKey: 'scripted', baseUrl: model.baseUrl }),
    variables: {
      TEMPORAL_ADDRESS: server.address,
      BATON_STORE_DIR: storeDir,
      ANTHROPIC_API_KEY: 'scripted',
      ANTHROPIC_BASE_URL: model.baseUrl,
    },
    play: (script) => model.play(script),
    run: (worker) => {
      workers.run(worker);
    },
    stopWorkers: () => workers.stop(),
    cpuSeconds: () => cpuSecondsOf(server.pid),
    async close() {
      await workers.stop();
      await model.close();
      await connection.close();
      await close();
      await server.release();
    },
  };
}

class RunningWorkers {
  private running: { readonly worker: AnyWorker; readonly ended: Promise<void> }[] = [];

  run(worker: AnyWorker): void {
    this.running.push({ worker, ended: worker.run() });
  }

  async stop(): Promise<void> {
    const running = this.running;
    this.running = [];
    running.forEach(({ worker }) => worker.shutdown());
    await Promise.all(running.map(({ ended }) => ended));
  }
}

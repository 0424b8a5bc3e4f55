import type { Client } from '@temporalio/client';
import type { NativeConnection, Worker } from '@temporalio/worker';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
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
import { startModelProcess } from './model-process';

/**
 * The environment of a measurement: a separate server with a fresh database, a store, and a model in a separate
 * process.
 */
export interface BenchEnvironment {
  readonly client: Client;
  readonly connection: NativeConnection;
  readonly store: Store;
  readonly model: ModelPort;
  /** Environment variables with which a worker in a separate process finds all of this. */
  readonly variables: Readonly<Record<string, string>>;
  /** Runs a worker until the environment is closed. */
  run(worker: Pick<Worker, 'run' | 'shutdown'>): void;
  close(): Promise<void>;
}

/** Starts the environment of a measurement. */
export async function startEnvironment(modelFile: string): Promise<BenchEnvironment> {
  silenceWorkers();
  const folder = await mkdtemp(join(tmpdir(), 'baton-bench-'));
  const server = await ensureDevServer({ stateDir: folder, log: (line) => process.stderr.write(`${line}\n`) });
  const target = devServerConnection(server);
  const { client, close } = await connectClient(target);
  const connection = await connectWorker(target);
  await registerSearchAttributes(client.connection, 'default');
  const model = await startModelProcess(modelFile);
  const running: { worker: Pick<Worker, 'run' | 'shutdown'>; ended: Promise<void> }[] = [];
  return {
    client,
    connection,
    store: await openFileStore(join(folder, 'store')),
    model: createAnthropicModel({ apiKey: 'scripted', baseUrl: model.baseUrl }),
    variables: {
      TEMPORAL_ADDRESS: server.address,
      BATON_STORE_DIR: join(folder, 'store'),
      ANTHROPIC_API_KEY: 'scripted',
      ANTHROPIC_BASE_URL: model.baseUrl,
    },
    run: (worker) => running.push({ worker, ended: worker.run() }),
    async close() {
      running.forEach(({ worker }) => worker.shutdown());
      await Promise.all(running.map(({ ended }) => ended));
      await model.close();
      await connection.close();
      await close();
      await server.release();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

import type { Client } from '@temporalio/client';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureDevServer } from '../../temporal-config/dev-server/dev-server';
import { connectClient } from '../../temporal-config/node/connect-client';
import { devServerConnection } from '../../temporal-config/node/connection';
import type { CliContext } from '../context';

/** Where the demo's runs are: a server, and what workers need to know about their surroundings. */
export interface Place {
  readonly client: Client;
  readonly uiUrl: string | undefined;
  /** Folder of the store, which a story takes away for a moment; undefined if that can't or must not be done. */
  readonly storeDir: string | undefined;
  /** Returns the environment of another worker, in addition to that of this process. */
  workerEnvironment(): Promise<Readonly<Record<string, string>>>;
  close(): Promise<void>;
}

/** The local server of this folder. It is started if it is not running. */
export async function localPlace(context: CliContext): Promise<Place> {
  const { stateDir, store } = context.settings();
  const server = await ensureDevServer({ stateDir, log: (line) => context.terminal.note(line) });
  const { client, close } = await connectClient(devServerConnection(server));
  return {
    client,
    uiUrl: server.uiUrl,
    storeDir: store.folder,
    workerEnvironment: () => Promise.resolve({}),
    async close() {
      await server.release();
      // Last, because pending calls fail noisily when their connection is closed.
      await close();
    },
  };
}

/**
 * The server and the store that the environment names, as on a cluster: every worker gets an empty folder of its own, so
 * whatever they share is shared through the server and the store.
 */
export async function configuredPlace(context: CliContext): Promise<Place> {
  const { store } = context.settings();
  const { client, uiUrl, close } = await context.connect();
  const folders = await mkdtemp(join(tmpdir(), 'baton-demo-workers-'));
  return {
    client,
    uiUrl,
    storeDir: undefined,
    async workerEnvironment() {
      const own = await mkdtemp(join(folders, 'worker-'));
      return { HOME: own, BATON_STATE_DIR: join(own, 'state'), BATON_STORE: store.address };
    },
    async close() {
      await close();
      await rm(folders, { recursive: true, force: true });
    },
  };
}

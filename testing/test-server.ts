import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureDevServer } from '../temporal-config/dev-server/dev-server';
import { connectClient } from '../temporal-config/node/connect-client';
import { devServerConnection } from '../temporal-config/node/connection';
import { registerSearchAttributes } from '../temporal-config/node/search-attributes-setup';

/** A Temporal server that tests started, with an empty database. */
export interface TestServer {
  /** Host and port of the server. Pass it to `startHarness` as `address`. */
  readonly address: string;
  /** Address of the Web UI, which shows every run of the tests until the server is closed. */
  readonly uiUrl: string;
  /** Stops the server and deletes its data. Safe to call twice. */
  close(): Promise<void>;
}

/** Options of `startTestServer`. */
export interface TestServerOptions {
  /**
   * Receives a line when the server has to be downloaded or built first, which happens once per machine. Default: writes
   * to stderr.
   */
  readonly log?: (line: string) => void;
}

/**
 * Starts the dev server that `baton dev` uses, on free ports of loopback, with an empty database and Baton's search
 * attributes. A harness starts one by itself; start one here to share it between several test files.
 *
 * The server is a separate process and keeps running if the tests are killed before `close`.
 *
 * @throws ServerSetupError if the server can neither be found, downloaded nor built. Its message says what to do.
 *
 * @example
 * ```ts
 * // Jest: the file that `globalSetup` names. `globalTeardown` then closes the server.
 * import { startTestServer } from 'baton-agents/testing';
 *
 * export default async function setUp(): Promise<void> {
 *   const server = await startTestServer();
 *   process.env['TEST_SERVER_ADDRESS'] = server.address;
 *   Object.assign(globalThis, { testServer: server });
 * }
 * ```
 */
export async function startTestServer({ log = toStderr }: TestServerOptions = {}): Promise<TestServer> {
  const stateDir = await mkdtemp(join(tmpdir(), 'baton-test-server-'));
  const server = await ensureDevServer({ stateDir, log });
  const close = async (): Promise<void> => {
    await server.release();
    await rm(stateDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  };
  try {
    const connected = await connectClient(devServerConnection(server));
    await registerSearchAttributes(connected.connection, server.namespace);
    await connected.close();
  } catch (error) {
    await close();
    throw error;
  }
  return { address: server.address, uiUrl: server.uiUrl, close };
}

function toStderr(line: string): void {
  process.stderr.write(`${line}\n`);
}

import type { Client } from '@temporalio/client';
import type { Store } from '../domain/store/store';
import type { Settings } from '../temporal-config/node/settings';
import type { Terminal } from './context';

/** A connection to Temporal that a command must close. */
export interface OpenConnection {
  readonly client: Client;
  readonly namespace: string;
  /** Address of the Web UI; undefined unless the server is a local dev server. */
  readonly uiUrl: string | undefined;
  close(): Promise<void>;
}

/** Everything that commands use of their environment, so that tests can run commands without a process. */
export interface CliContext {
  readonly terminal: Terminal;
  settings(): Settings;
  connect(): Promise<OpenConnection>;
  openStore(): Promise<Store>;
}

/** Connects, does the work, and closes the connection even if the work fails. */
export async function withConnection<T>(
  context: CliContext,
  work: (connected: OpenConnection) => Promise<T>,
): Promise<T> {
  const connected = await context.connect();
  try {
    return await work(connected);
  } finally {
    await connected.close();
  }
}

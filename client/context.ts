import type { Client } from '@temporalio/client';
import type { Store } from '../domain/store/store';
import type { Settings } from '../temporal-config/node/settings';
import type { Terminal } from './cli';

/** A connection to Temporal that a command must close. */
export interface Connected {
  readonly client: Client;
  readonly namespace: string;
  /** Where the Web UI is, when it is known: only for a dev server. */
  readonly uiUrl: string | undefined;
  close(): Promise<void>;
}

/** What commands are given, so that they can be tried without a process around them. */
export interface CliContext {
  readonly terminal: Terminal;
  settings(): Settings;
  connect(): Promise<Connected>;
  openStore(): Promise<Store>;
}

/** Connects, does the work, and closes the connection whatever happens. */
export async function withConnection<T>(context: CliContext, work: (connected: Connected) => Promise<T>): Promise<T> {
  const connected = await context.connect();
  try {
    return await work(connected);
  } finally {
    await connected.close();
  }
}

import { Client, Connection, type ClientOptions } from '@temporalio/client';
import type { ResolvedConnection } from './connection';
import { connectionFailed, requireLocalListener } from './connection-failure';

export interface ConnectedClient {
  readonly client: Client;
  readonly connection: Connection;
  close(): Promise<void>;
}

export type ClientExtras = Omit<ClientOptions, 'connection' | 'namespace'>;

const connectLimitMs = 7_000;

/** A client that has spoken to its server already: whoever holds one needn't wonder about the connection. */
export async function connectClient(
  target: ResolvedConnection,
  extras: ClientExtras = {},
  limitMs: number = connectLimitMs,
): Promise<ConnectedClient> {
  await requireLocalListener(target);
  let connection: Connection;
  try {
    connection = await Connection.connect({ ...target.connectionOptions, connectTimeout: limitMs });
  } catch (error) {
    throw await connectionFailed(target, error);
  }
  const client = new Client({ ...extras, connection, namespace: target.namespace });
  return { client, connection, close: () => connection.close() };
}

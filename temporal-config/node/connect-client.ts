import {
  Client,
  type ClientOptions,
  Connection,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
} from '@temporalio/client';
import type { ResolvedConnection } from './connection';
import { connectionFailed, requireLocalListener } from './connection-failure';

/** A client with an established connection. */
export interface ConnectedClient {
  readonly client: Client;
  readonly connection: Connection;
  close(): Promise<void>;
}

/** Client options that do not concern the connection. */
export type ClientExtras = Omit<ClientOptions, 'connection' | 'namespace'>;

const connectLimitMs = 7_000;

/**
 * Raises the size of a message that is accepted. gRPC's default is 4 MiB, and one batch of events can have that. The
 * SDK means to raise it, but gRPC does not know the option by the name that the SDK uses.
 */
const channelArgs = { 'grpc.max_receive_message_length': 128 * 1024 * 1024 };

/**
 * Connects a client. Returns only after the server has responded, so callers need not check the connection. Throws an
 * error with a remedy if it does not respond within `limitMs` (default: 7,000).
 *
 * @example
 * const { client, close } = await connectClient(await resolveConnection(readSettings()));
 * console.log(client.options.namespace);
 * await close();
 */
export async function connectClient(
  target: ResolvedConnection,
  extras: ClientExtras = {},
  limitMs: number = connectLimitMs,
): Promise<ConnectedClient> {
  await requireLocalListener(target);
  let connection: Connection;
  let isClosed = false;
  const usual = defaultGrpcRetryOptions();
  // A request that ends because the connection is closed must not be repeated: that throws where nobody can catch it.
  const retryableDecider: typeof usual.retryableDecider = (attempt, status) =>
    !isClosed && usual.retryableDecider(attempt, status);
  try {
    connection = await Connection.connect({
      ...target.connectionOptions,
      channelArgs,
      connectTimeout: limitMs,
      interceptors: [makeGrpcRetryInterceptor({ ...usual, retryableDecider })],
    });
  } catch (error) {
    throw await connectionFailed(target, error);
  }
  const client = new Client({ ...extras, connection, namespace: target.namespace });
  return {
    client,
    connection,
    close() {
      isClosed = true;
      return connection.close();
    },
  };
}

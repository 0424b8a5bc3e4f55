import {
  Client,
  type ClientOptions,
  Connection,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
} from '@temporalio/client';
import { clientDataConverter } from '../../encryption/data-converter';
import { type EncryptionKeys, keyRingOf } from '../../encryption/key-ring';
import { setTimeout as sleep } from 'node:timers/promises';
import { callerTrace } from './caller-trace';
import type { ResolvedConnection } from './connection';
import { connectionFailed, requireLocalListener } from './connection-failure';

/** A client with an established connection. */
export interface ConnectedClient {
  readonly client: Client;
  readonly connection: Connection;
  close(): Promise<void>;
}

/** Client options that do not concern the connection. */
export type ClientExtras = Omit<ClientOptions, 'connection' | 'namespace'> & {
  /**
   * Keys to encrypt with, or a function that gets them, for example from a key management service. Default: those of the
   * target, which `resolveConnection` takes from BATON_ENCRYPTION_KEYS. A `dataConverter` takes precedence.
   */
  readonly encryption?: EncryptionKeys | undefined;
};

const connectLimitMs = 7_000;
/** How late a timer may fire. */
const timerSlackMs = 100;

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
  { encryption = target.encryption, ...extras }: ClientExtras = {},
  limitMs: number = connectLimitMs,
): Promise<ConnectedClient> {
  // Before anything else: without its keys, a client that should encrypt must not exist.
  const keys = encryption === undefined ? undefined : await keyRingOf(encryption);
  await requireLocalListener(target);
  const retries = new Retries();
  let connection: Connection;
  try {
    connection = await Connection.connect({
      ...target.connectionOptions,
      channelArgs,
      connectTimeout: limitMs,
      interceptors: [makeGrpcRetryInterceptor(retries)],
    });
  } catch (error) {
    throw await connectionFailed(target, error);
  }
  const client = new Client({
    dataConverter: clientDataConverter(keys),
    ...extras,
    interceptors: withTrace(extras),
    connection,
    namespace: target.namespace,
  });
  return {
    client,
    connection,
    async close() {
      await retries.end();
      await connection.close();
    },
  };
}

/** Adds the interceptor that continues the caller's trace. */
function withTrace({
  interceptors = {},
}: Pick<ClientExtras, 'interceptors'>): NonNullable<ClientExtras['interceptors']> {
  const { workflow = [] } = interceptors;
  return Array.isArray(workflow) ? { ...interceptors, workflow: [...workflow, callerTrace] } : interceptors;
}

/**
 * The SDK's rules for repeating requests, until the connection is closed. A repetition on a closed connection throws in a
 * timer, where nobody can catch it.
 */
class Retries {
  private readonly usual = defaultGrpcRetryOptions();
  private hasEnded = false;
  /** Time of the latest repetition, in milliseconds since 1970. */
  private latest = 0;

  readonly retryableDecider: typeof this.usual.retryableDecider = (attempt, status) =>
    !this.hasEnded && this.usual.retryableDecider(attempt, status);

  readonly delayFunction: typeof this.usual.delayFunction = (attempt, status) => {
    const delay = this.usual.delayFunction(attempt, status);
    this.latest = Math.max(this.latest, Date.now() + delay);
    return delay;
  };

  /** Lets no request be repeated any more, and waits for repetitions that are due: some seconds at most. */
  async end(): Promise<void> {
    this.hasEnded = true;
    const delay = this.latest - Date.now();
    if (delay > 0) await sleep(delay + timerSlackMs);
  }
}

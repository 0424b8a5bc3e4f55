import { type ClientConfigProfile, loadClientConfigProfile, toClientOptions } from '@temporalio/envconfig';
import type { NativeConnectionOptions } from '@temporalio/worker';
import type { KeyRing } from '../../encryption/key-ring';
import { errorReason } from '../dev-server/processes';
import { type DevServerInfo, findRunningDevServer } from '../dev-server/running-server';
import { readEncryptionKeys } from './encryption-keys';
import { ConnectionFailedError, type Environment, InvalidSettingError, readVariable } from './setup-error';

/** The server to connect to. `dev` is the dev server of this state folder. */
export interface ResolvedConnection extends ConfiguredServer {
  readonly kind: 'configured' | 'dev';
  readonly connectionOptions: ConnectionSettings;
  readonly namespace: string;
  /** Describes the server for users, without credentials. */
  readonly describe: string;
  /** Address of the Web UI. Only known for a dev server. */
  readonly uiUrl?: string;
  /** Keys that clients encrypt with. Default: no encryption. */
  readonly encryption?: KeyRing | undefined;
}

/** Options of `resolveConnection`. `env` defaults to the process's environment. */
export interface ResolveOptions {
  readonly stateDir: string;
  readonly env?: Environment;
}

/**
 * Determines which server to use: the configured one, otherwise the dev server that runs for this state folder. Does
 * not connect. Throws an error with a remedy if neither exists, or if the configuration or a key for encryption is
 * invalid.
 */
export async function resolveConnection({ stateDir, env }: ResolveOptions): Promise<ResolvedConnection> {
  const encryption = readEncryptionKeys(env);
  const configured = resolveConfigured(env);
  if (configured) return { ...configured, encryption };
  const running = await findRunningDevServer(stateDir);
  if (running) return { ...devServerConnection(running), encryption };
  throw new ConnectionFailedError(
    'No Temporal server: none is configured, and no dev server is running for this folder',
    'Start one with `baton dev`, or set TEMPORAL_ADDRESS (or TEMPORAL_PROFILE) to a server that is running.',
  );
}

/** Returns the configured server; undefined when none is configured, in which case users expect a dev server. */
export function resolveConfigured(env?: Environment): ResolvedConnection | undefined {
  const server = configuredServer(env);
  if (!server) return undefined;
  const { address, tls, apiKey } = server.connectionOptions;
  const security = [apiKey && 'API key', isMutual(tls) ? 'mTLS' : tls && 'TLS'].filter(Boolean).join(', ');
  const how = security ? ` (${security})` : '';
  return { kind: 'configured', ...server, describe: `Temporal at ${address}${how}, namespace ${server.namespace}` };
}

/** Returns the connection to a running dev server. */
export function devServerConnection({
  address,
  namespace,
  uiUrl,
}: Pick<DevServerInfo, 'address' | 'namespace' | 'uiUrl'>): ResolvedConnection {
  return {
    kind: 'dev',
    connectionOptions: { address },
    namespace,
    uiUrl,
    describe: `dev server at ${address}, Web UI at ${uiUrl}`,
  };
}

function isMutual(tls: ConnectionSettings['tls']): boolean {
  return typeof tls === 'object' && tls?.clientCertPair !== undefined;
}

/** Settings for a client's or a worker's connection. They contain credentials and must not be printed. */
type ConnectionSettings = { readonly address: string } & Pick<NativeConnectionOptions, 'tls' | 'apiKey' | 'metadata'>;

/** A Temporal server that the user has configured. */
export interface ConfiguredServer {
  readonly connectionOptions: ConnectionSettings;
  readonly namespace: string;
}

const defaultAddress = 'localhost:7233';

/**
 * Returns the server configured by TEMPORAL_ variables or by a profile of Temporal's configuration file; undefined when
 * none is configured.
 */
export function configuredServer(env: Environment = process.env): ConfiguredServer | undefined {
  const profile = loadProfile(env);
  const hasProfile = readVariable(env, 'TEMPORAL_PROFILE') !== undefined;
  if (profile.address === undefined && !hasProfile) return undefined;
  requireWholeKeyPair(profile);
  const { connectionOptions, namespace } = translating(() => toClientOptions(profile));
  const { tls, apiKey, metadata } = connectionOptions;
  return {
    namespace: namespace ?? 'default',
    connectionOptions: {
      address: profile.address ?? defaultAddress,
      ...(tls !== undefined && { tls }),
      ...(apiKey !== undefined && { apiKey }),
      ...(metadata !== undefined && { metadata }),
    },
  };
}

function loadProfile(env: Environment): ClientConfigProfile {
  const present = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '',
  );
  return translating(() => loadClientConfigProfile({ overrideEnvVars: Object.fromEntries(present) }));
}

/**
 * Rejects a certificate without its key, and vice versa. The library silently ignores half a key pair, and the server
 * then refuses the connection without a visible reason.
 */
function requireWholeKeyPair({ tls }: ClientConfigProfile): void {
  if (tls === undefined || (tls.clientCert === undefined) === (tls.clientKey === undefined)) return;
  const [has, lacks] = tls.clientCert ? ['certificate', 'key'] : ['key', 'certificate'];
  throw new InvalidSettingError(
    'Temporal configuration',
    `there is a client ${has} but no client ${lacks}`,
    'Set both TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH, or the same in the profile.',
  );
}

function translating<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new InvalidSettingError(
      'Temporal configuration',
      // Uses only the first line, because the TOML parser quotes the file below it, including the API key.
      errorReason(error).split('\n', 1).join(),
      'Check the TEMPORAL_ variables and the file that TEMPORAL_CONFIG_FILE names; `temporal config list` shows what is in effect.',
    );
  }
}

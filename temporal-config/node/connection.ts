import { type Environment } from './environment';
import { findRunningDevServer, type DevServerInfo } from '../dev-server/running-server';
import { configuredServer, type ConfiguredServer, type ConnectionSettings } from './configured-server';
import { ConnectionFailedError } from './setup-error';

/** The server to connect to. `dev` is the dev server of this state folder. */
export interface ResolvedConnection extends ConfiguredServer {
  readonly kind: 'configured' | 'dev';
  readonly connectionOptions: ConnectionSettings;
  readonly namespace: string;
  /** Describes the server for users, without credentials. */
  readonly describe: string;
  /** Address of the Web UI. Only known for a dev server. */
  readonly uiUrl?: string;
}

/** Options of `resolveConnection`. `env` defaults to the process's environment. */
export interface ResolveOptions {
  readonly stateDir: string;
  readonly env?: Environment;
}

/**
 * Determines which server to use: the configured one, otherwise the dev server that runs for this state folder. Does
 * not connect.
 */
export async function resolveConnection({ stateDir, env }: ResolveOptions): Promise<ResolvedConnection> {
  const configured = resolveConfigured(env);
  if (configured) return configured;
  const running = await findRunningDevServer(stateDir);
  if (running) return devServerConnection(running);
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

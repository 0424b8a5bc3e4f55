import { type Environment } from '../server/environment';
import { findRunningDevServer, type DevServerInfo } from '../server/running-server';
import { configuredServer, type ConfiguredServer, type ConnectionSettings } from './configured-server';
import { ConnectionFailedError } from './errors';

export interface ResolvedConnection extends ConfiguredServer {
  readonly kind: 'configured' | 'dev';
  readonly connectionOptions: ConnectionSettings;
  readonly namespace: string;
  /** For people: which server, without credentials. */
  readonly describe: string;
  /** Only of a dev server: elsewhere Baton doesn't know. */
  readonly uiUrl?: string;
}

export interface ResolveOptions {
  readonly stateDir: string;
  readonly env?: Environment;
}

/** Which server to talk to: the configured one, or else the dev server that runs for this state folder. Connects to none. */
export async function resolveConnection({ stateDir, env }: ResolveOptions): Promise<ResolvedConnection> {
  const configured = resolveConfigured(env);
  if (configured) return configured;
  const running = await findRunningDevServer(stateDir);
  if (running) return toDevServer(running);
  throw new ConnectionFailedError(
    'No Temporal server: none is configured, and no dev server runs for this folder',
    'Start one with `baton dev`, or set TEMPORAL_ADDRESS (or TEMPORAL_PROFILE) to a server that is running.',
  );
}

/** Undefined when nothing is configured: then a dev server is what the user expects. */
export function resolveConfigured(env?: Environment): ResolvedConnection | undefined {
  const server = configuredServer(env);
  if (!server) return undefined;
  const { address, tls, apiKey } = server.connectionOptions;
  const means = [apiKey && 'API key', isMutual(tls) ? 'mTLS' : tls && 'TLS'].filter(Boolean).join(', ');
  const how = means ? ` (${means})` : '';
  return { kind: 'configured', ...server, describe: `Temporal at ${address}${how}, namespace ${server.namespace}` };
}

export function toDevServer({
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

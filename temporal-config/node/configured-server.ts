import { loadClientConfigProfile, toClientOptions, type ClientConfigProfile } from '@temporalio/envconfig';
import type { NativeConnectionOptions } from '@temporalio/worker';
import { readVariable, type Environment } from './environment';
import { errorReason } from '../dev-server/run-command';
import { InvalidSettingError } from './setup-error';

/** Settings for a client's or a worker's connection. They contain credentials and must not be printed. */
export type ConnectionSettings = { readonly address: string } & Pick<
  NativeConnectionOptions,
  'tls' | 'apiKey' | 'metadata'
>;

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

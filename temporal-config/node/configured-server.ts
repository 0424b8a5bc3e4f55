import { loadClientConfigProfile, toClientOptions, type ClientConfigProfile } from '@temporalio/envconfig';
import type { NativeConnectionOptions } from '@temporalio/worker';
import { variable, type Environment } from '../server/environment';
import { reasonOf } from '../server/run-command';
import { InvalidSettingError } from './errors';

/** What both kinds of connection take, the client's and the worker's. Holds credentials: not for printing. */
export type ConnectionSettings = { readonly address: string } & Pick<
  NativeConnectionOptions,
  'tls' | 'apiKey' | 'metadata'
>;

export interface ConfiguredServer {
  readonly connectionOptions: ConnectionSettings;
  readonly namespace: string;
}

const defaultAddress = 'localhost:7233';

/** The server that TEMPORAL_ variables or a profile of Temporal's configuration file name, if they name one. */
export function configuredServer(env: Environment = process.env): ConfiguredServer | undefined {
  const profile = loadProfile(env);
  const isAskedFor = variable(env, 'TEMPORAL_PROFILE') !== undefined;
  if (profile.address === undefined && !isAskedFor) return undefined;
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

/** The library drops half a key pair without a word, and the server then refuses for no visible reason. */
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
      // The first line only: below it the TOML parser quotes the file, API key and all.
      reasonOf(error).split('\n', 1).join(),
      'Check the TEMPORAL_ variables and the file that TEMPORAL_CONFIG_FILE names; `temporal config list` shows what is in effect.',
    );
  }
}

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { configuredServer, resolveConfigured } from '../../../temporal-config/node/connection';
import { failureOf } from '../support/failure';
import { scratchFolder } from '../support/scratch';

const folder = scratchFolder();
// The tests must not read a configuration file of the user who runs them.
const base = { HOME: folder };

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

test('no configuration means a dev server', () => {
  expect(configuredServer(base)).toBeUndefined();
  expect(configuredServer({ ...base, TEMPORAL_NAMESPACE: 'team', TEMPORAL_ADDRESS: '' })).toBeUndefined();
});

test('an address alone is an unencrypted connection to the default namespace', () => {
  const env = { ...base, TEMPORAL_ADDRESS: 'temporal.internal:7233' };
  expect(configuredServer(env)).toEqual({
    connectionOptions: { address: 'temporal.internal:7233' },
    namespace: 'default',
  });
});

test('an API key turns TLS on and stays out of the description', () => {
  const env = {
    ...base,
    TEMPORAL_ADDRESS: 'region.api.temporal.io:7233',
    TEMPORAL_NAMESPACE: 'team.a1b2c',
    TEMPORAL_API_KEY: 'very-secret',
  };
  const resolved = resolveConfigured(env);
  expect(resolved).toMatchObject({
    kind: 'configured',
    namespace: 'team.a1b2c',
    connectionOptions: { address: 'region.api.temporal.io:7233', apiKey: 'very-secret', tls: true },
  });
  expect(resolved?.describe).toBe('Temporal at region.api.temporal.io:7233 (API key, TLS), namespace team.a1b2c');
});

test('a client certificate and its key enable mutual TLS', () => {
  const env = {
    ...base,
    TEMPORAL_ADDRESS: 'cluster:7233',
    TEMPORAL_TLS_CLIENT_CERT_PATH: file('client.pem', 'certificate'),
    TEMPORAL_TLS_CLIENT_KEY_PATH: file('client.key', 'key'),
    TEMPORAL_TLS_SERVER_CA_CERT_DATA: 'authority',
    TEMPORAL_TLS_SERVER_NAME: 'temporal.example',
  };
  const resolved = resolveConfigured(env);
  expect(resolved?.describe).toContain('(mTLS)');
  expect(resolved?.connectionOptions.tls).toMatchObject({
    serverNameOverride: 'temporal.example',
    serverRootCACertificate: Buffer.from('authority'),
    clientCertPair: { crt: Buffer.from('certificate'), key: Buffer.from('key') },
  });
});

test('a profile of the configuration file is used when it is selected, and variables override it', () => {
  const config = file(
    'temporal.toml',
    '[profile.prod]\naddress = "prod:7233"\nnamespace = "prod"\n[profile.prod.grpc_meta]\nteam = "a"\n',
  );
  const env = { ...base, TEMPORAL_CONFIG_FILE: config };
  expect(configuredServer(env)).toBeUndefined();
  expect(configuredServer({ ...env, TEMPORAL_PROFILE: 'prod', TEMPORAL_NAMESPACE: 'other' })).toEqual({
    connectionOptions: { address: 'prod:7233', metadata: { team: 'a' } },
    namespace: 'other',
  });
});

test('the default profile is used when it has an address', () => {
  const config = file('default.toml', '[profile.default]\naddress = "home:7233"\n');
  expect(configuredServer({ ...base, TEMPORAL_CONFIG_FILE: config })?.connectionOptions.address).toBe('home:7233');
});

test.each([
  ['a profile that is not there', { TEMPORAL_PROFILE: 'nowhere' }, "'nowhere' not found"],
  ['a file that is no TOML', { TEMPORAL_CONFIG_FILE: file('bad.toml', '[profile') }, 'TOML'],
  [
    'a certificate that is not there',
    { TEMPORAL_TLS_CLIENT_CERT_PATH: '/no.pem', TEMPORAL_TLS_CLIENT_KEY_PATH: '/no' },
    '/no.pem',
  ],
  ['a certificate without its key', { TEMPORAL_TLS_CLIENT_CERT_DATA: 'certificate' }, 'no client key'],
])('%s is an error that says so', async (_, variables, part) => {
  const failure = await failureOf(() => configuredServer({ ...base, TEMPORAL_ADDRESS: 'cluster:7233', ...variables }));
  expect(failure.message).toContain(part);
  expect(failure.remedy).toContain('TEMPORAL_');
});

test('a damaged configuration file is not quoted, because it contains keys', async () => {
  const config = file('secret.toml', '[profile.default]\napi_key = "very-secret" oops\n');
  const failure = await failureOf(() => configuredServer({ ...base, TEMPORAL_CONFIG_FILE: config }));
  expect(failure.message).not.toContain('very-secret');
});

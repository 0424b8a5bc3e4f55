import { defaultPayloadConverter } from '@temporalio/common';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { authorizeWith } from '../../../cli/encryption/authorize';
import { startCodecServer } from '../../../cli/encryption/codec-server';
import type { HttpServer } from '../../../cli/ui/http/http-server';
import { Contents } from '../../../cli/encryption/contents';
import { PayloadService } from '../../../cli/encryption/payloads';
import { type BlobRef, mediaTypes, type Store } from '../../../domain/store';
import { KeyRing } from '../../../encryption/key-ring';
import { openFileStore } from '../../../store/file/open-file-store';

const ui = 'http://localhost:8233';
const keys = new KeyRing([{ id: 'k1', bytes: randomBytes(32) }]);
const long = 'What the model said. '.repeat(500);

let folder: string;
let store: Store;
let ref: BlobRef;
const servers: HttpServer[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'baton-codec-'));
  store = await openFileStore(join(folder, 'store'), { encryption: keys });
  ref = await store.forRun('run-1').put(Buffer.from(long), mediaTypes.text);
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
  await rm(folder, { recursive: true });
});

async function serve(ring: KeyRing | undefined, token?: string): Promise<number> {
  const contents = new Contents(store);
  const service = new PayloadService(
    ring,
    contents,
    (runId, { hash, bytes }) => `/content/${runId}/${hash}?bytes=${bytes}`,
  );
  const authorize = await authorizeWith({ token });
  const options = { host: '127.0.0.1', port: 0, origins: [ui], authorize, isLocal: true };
  const server = await startCodecServer(service, contents, options);
  servers.push(server);
  return server.port;
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** Sends a request as it is: `fetch` would not let a test choose the host or the origin. */
function send(
  port: number,
  method: string,
  path: string,
  body = '',
  headers: Record<string, string> = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, method, path, headers }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(parts).toString() });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const json = { 'content-type': 'application/json', origin: ui };
const payloadJson = (value: unknown) => {
  const { metadata, data } = defaultPayloadConverter.toPayload(value);
  const encoding = Buffer.from(metadata?.['encoding'] ?? []).toString('base64');
  return { metadata: { encoding }, data: Buffer.from(data ?? []).toString('base64') };
};
const bodyOf = (...values: readonly unknown[]): string => JSON.stringify({ payloads: values.map(payloadJson) });
const valuesIn = ({ text }: Answer): unknown[] =>
  (JSON.parse(text) as { payloads: { data: string }[] }).payloads.map(
    ({ data }) => JSON.parse(Buffer.from(data, 'base64').toString()) as unknown,
  );

test('payloads are encoded and decoded, and a page of the Web UI may read them', async () => {
  const port = await serve(keys);
  const encoded = await send(port, 'POST', '/encode', bodyOf({ goal: 'harbour' }), json);
  expect(encoded.status).toBe(200);
  expect(Buffer.from(encoded.text, 'base64').includes('harbour')).toBe(false);
  const decoded = await send(port, 'POST', '/decode', encoded.text, json);
  expect(valuesIn(decoded)).toEqual([{ goal: 'harbour' }]);
  expect(decoded.headers['access-control-allow-origin']).toBe(ui);
  const asked = await send(port, 'OPTIONS', '/decode', '', {
    origin: ui,
    'access-control-request-private-network': 'true',
  });
  expect(asked.status).toBe(204);
  expect(asked.headers['access-control-allow-headers']).toBe('Content-Type, X-Namespace, Authorization');
  expect(asked.headers['access-control-allow-private-network']).toBe('true');
});

test('a reference shows the beginning of what it points to, and where the rest is; with and without encryption', async () => {
  for (const ring of [keys, undefined]) {
    const port = await serve(ring);
    const [shown] = valuesIn(await send(port, 'POST', '/decode', bodyOf({ reply: { ref }, turns: 3 }), json)) as [
      { reply: { ref: BlobRef & { content: string; rest: string } } },
    ];
    expect(shown).toMatchObject({ reply: { ref }, turns: 3 });
    expect(shown.reply.ref.content).toBe(long.slice(0, 4_000));
    const rest = await send(port, 'GET', shown.reply.ref.rest);
    expect(rest.text).toBe(long);
    expect(rest.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
    });
  }
});

test('a payload whose key is missing says so, and the others are shown', async () => {
  const encoded = JSON.parse((await send(await serve(keys), 'POST', '/encode', bodyOf('secret'), json)).text) as {
    payloads: object[];
  };
  const port = await serve(undefined);
  const body = JSON.stringify({ payloads: [...encoded.payloads, payloadJson('plain')] });
  expect(valuesIn(await send(port, 'POST', '/decode', body, json))).toEqual([
    { unreadable: 'This payload is encrypted with the key "k1", which is not among the keys here' },
    'plain',
  ]);
});

test('other sites, other names of this machine and requests without the token are refused', async () => {
  const port = await serve(keys, 'top-secret');
  const body = bodyOf('x');
  const bearer = { ...json, authorization: 'Bearer top-secret' };
  expect((await send(port, 'POST', '/decode', body, bearer)).status).toBe(200);
  expect((await send(port, 'POST', '/decode', body, json)).status).toBe(401);
  expect((await send(port, 'POST', '/decode', body, { ...json, authorization: 'Bearer top-secre' })).status).toBe(401);
  expect((await send(port, 'GET', `/content/run-1/${ref.hash}?bytes=${ref.bytes}`)).status).toBe(401);
  expect((await send(port, 'POST', '/decode', body, { ...bearer, origin: 'https://evil.example' })).status).toBe(403);
  expect((await send(port, 'POST', '/decode', body, { ...bearer, host: `evil.example:${port}` })).status).toBe(403);
  const foreign = await send(port, 'OPTIONS', '/decode', '', { origin: 'https://evil.example' });
  expect(foreign.status).toBe(403);
  expect(foreign.headers['access-control-allow-origin']).toBeUndefined();
});

test('hostile requests get an answer that says what is wrong, and the server goes on', async () => {
  const port = await serve(keys);
  const nested = `{"payloads":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
  const deep = Buffer.from('['.repeat(20_000) + ']'.repeat(20_000)).toString('base64');
  const damaged = { metadata: { encoding: 'YmluYXJ5L2VuY3J5cHRlZA==', 'encryption-key-id': 'azE=' }, data: 'AAAA' };
  const statuses = [];
  for (const [path, body, headers] of [
    ['/decode', '', json],
    ['/decode', 'not JSON', json],
    ['/decode', '[]', json],
    ['/decode', '{"payloads":[{"data":"%%%"}]}', json],
    ['/decode', '{"payloads":[{"metadata":{"encoding":7}}]}', json],
    ['/decode', nested, json],
    ['/decode', bodyOf('x'), { ...json, 'content-type': 'text/plain' }],
    ['/content/run-1/../../etc/passwd', '', json],
    ['/nothing', '{}', json],
  ] as const)
    statuses.push((await send(port, 'POST', path, body, headers)).status);
  expect(statuses).toEqual([400, 400, 400, 400, 400, 400, 415, 404, 404]);
  for (const path of ['/content/%ff/x', `/content/run-1/${'0'.repeat(64)}?bytes=1`, '/content/run-1/abc'])
    expect((await send(port, 'GET', path)).status).toBeGreaterThanOrEqual(400);
  const answer = await send(port, 'POST', '/decode', JSON.stringify({ payloads: [damaged] }), json);
  expect(valuesIn(answer)).toEqual([{ unreadable: expect.stringContaining("can't be decrypted") as string }]);
  const odd = { metadata: { encoding: 'anNvbi9wbGFpbg==' }, data: deep };
  expect((await send(port, 'POST', '/decode', JSON.stringify({ payloads: [odd] }), json)).status).toBeLessThan(500);
  expect((await send(port, 'POST', '/decode', bodyOf('x'), json)).status).toBe(200);
});

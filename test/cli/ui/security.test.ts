import { pageFile } from '../../../cli/ui/http/page-file';
import type { UiServer } from '../../../cli/ui/http/ui-server';
import type { GeneratedSource } from '../../support/ui/generated-source';
import { ask, post } from '../../support/ui/page-client';
import { generatedSource, startUiOn } from '../../support/ui/start-ui';

const html = '<!doctype html><style>a{}</style><script>1</script><script type="application/json">{}</script>';
let source: GeneratedSource;
let server: UiServer;
const run = '/api/runs/r-generated';
const decision = { agent: '', action: 'retry', incident: 'i1' };

beforeAll(async () => {
  source = generatedSource({ needsYou: 1 });
  server = await startUiOn(source, { page: pageFile(html) });
});
afterAll(() => server.close());

test('a foreign name of this machine is refused for the page and for everything else', async () => {
  for (const host of ['evil.example', `evil.example:${server.port}`, '127.0.0.1', `127.0.0.1:${server.port + 1}`]) {
    for (const path of ['/', '/api/hello', run]) {
      expect((await ask(server, path, { headers: { host } })).status).toBe(403);
    }
  }
  expect((await ask(server, '/', { headers: { host: `localhost:${server.port}` } })).status).toBe(200);
});

test('nothing is answered without the whole key', async () => {
  const paths = ['/api/hello', '/api/runs', run, '/api/attention', '/api/stream?run=r-generated', '/api/nothing'];
  for (const key of [null, '', 'x', server.key.slice(0, -1), `${server.key}x`]) {
    for (const path of paths) expect((await ask(server, path, { key })).status).toBe(401);
    expect((await post(server, `${run}/decide`, decision, { key })).status).toBe(401);
  }
  const inQuery = await ask(server, `/api/hello?k=${server.key}`, { key: null });
  expect(inQuery.status).toBe(401);
  const asCookie = await ask(server, '/api/hello', { key: null, headers: { cookie: `k=${server.key}` } });
  expect(asCookie.status).toBe(401);
  expect(source.commands).toEqual([]);
});

test('another site cannot decide, whatever it sends', async () => {
  const origin = `http://127.0.0.1:${server.port}`;
  const refused: [number, Readonly<Record<string, string>>][] = [
    [415, { 'content-type': 'text/plain' }],
    [415, { 'content-type': 'application/x-www-form-urlencoded' }],
    [415, { 'content-type': '' }],
    [403, { origin: 'https://evil.example' }],
    [403, { origin: 'null' }],
    [403, { origin: 'http://127.0.0.1:1' }],
    [403, { origin, 'sec-fetch-site': 'cross-site' }],
    [403, { origin, 'sec-fetch-site': 'same-site' }],
  ];
  for (const [status, headers] of refused) {
    expect([(await post(server, `${run}/decide`, decision, { headers })).status, headers]).toEqual([status, headers]);
  }
  expect((await post(server, `${run}/decide`, { note: 'x'.repeat(70_000) })).status).toBe(413);
  expect((await ask(server, `${run}/decide`)).status).toBe(404);
  expect((await ask(server, '/api/hello', { method: 'OPTIONS' })).status).toBe(405);
  expect(source.commands).toEqual([]);
  const headers = { origin, 'sec-fetch-site': 'same-origin' };
  const answer = await post(
    server,
    `${run}/decide`,
    { ...decision, agent: source.view('r-generated').incidents[0]!.path },
    { headers },
  );
  expect(answer).toMatchObject({ status: 200 });
  expect(answer.json()).toMatchObject({ record: { action: 'retry', by: 'ada' } });
  expect(source.commands).toHaveLength(1);
});

test('every answer says that no other page may have it, and nothing sets a cookie', async () => {
  const paths = [
    '/',
    '/nothing',
    '/api/hello',
    '/api/nothing',
    `${run}/prompt`,
    `/api/blob/r-generated/${'a'.repeat(64)}`,
  ];
  for (const path of paths) {
    const { headers } = await ask(server, path);
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'x-frame-options': 'DENY',
    });
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    const names = Object.keys(headers);
    expect(names.filter((name) => name === 'set-cookie' || name.startsWith('access-control-'))).toEqual([]);
  }
});

test('the page may run its own script and nothing else', async () => {
  const { headers, text } = await ask(server, '/', { key: null });
  expect(text).toBe(html);
  expect(headers['content-security-policy']).toBe(
    [
      "default-src 'none'",
      "script-src 'sha256-a4ayc/80/OGda4BO/1o/V0etpOqiLx1JwB5S3beHW0s='",
      "style-src 'sha256-X1RutGBrXCt9KkSaXMK7tHftWiRscFHOhxsS8tv8hBk='",
      "connect-src 'self'",
      'img-src data:',
      "base-uri 'none'",
      "form-action 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
  );
});

test('stored texts are files to save, and only those of the run', async () => {
  const { artifacts } = (await ask(server, `${run}/artifacts`)).json() as {
    artifacts: { hash: string; text: string }[];
  };
  const { headers, text } = await ask(server, `/api/blob/r-generated/${artifacts[0]!.hash}`);
  expect(text).toBe(artifacts[0]!.text);
  expect(headers).toMatchObject({
    'content-type': 'application/octet-stream',
    'cache-control': /immutable/.exec(headers['cache-control'] ?? '')?.input,
  });
  expect(headers['content-disposition']).toMatch(/^attachment;/);
  expect((await ask(server, `/api/blob/r-generated/${'0'.repeat(64)}`)).status).toBe(404);
  expect((await ask(server, '/api/blob/r-generated/..%2f..%2fetc%2fpasswd')).status).toBe(400);
});

test('a page that only shows runs decides nothing', async () => {
  const quiet = generatedSource({ needsYou: 1 });
  const shown = await startUiOn(quiet, { isReadOnly: true });
  try {
    expect((await ask(shown, '/api/hello')).json()).toMatchObject({ readOnly: true });
    for (const name of ['decide', 'pause', 'resume', 'steer', 'cancel']) {
      const answer = await post(shown, `${run}/${name}`, decision);
      expect(answer).toMatchObject({ status: 403 });
      expect(answer.json()).toMatchObject({ type: 'Ui.ReadOnly' });
    }
    expect(quiet.commands).toEqual([]);
  } finally {
    await shown.close();
  }
});

import fc from 'fast-check';
import type { UiServer } from '../../cli/ui/http/ui-server';
import { ask } from '../support/ui/page-client';
import { generatedSource, startUiOn } from '../support/ui/start-ui';
import { expectNotQuadratic } from './support/growth';
import { fuzz } from './support/target';
import { changed, hostileJson, hostileText } from './support/values';

const segment = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('r1', 'entries', 'prompt', 'files', 'artifacts', 'events', 'why', 'search') },
  { weight: 1, arbitrary: hostileText.map(encoded) },
  { weight: 1, arbitrary: fc.constantFrom('%', '%zz', '..', '.', '', '%2f', '%00') },
);
const query = fc.dictionary(
  fc.constantFrom('agent', 'limit', 'before', 'after', 'from', 'q', 'text', 'status'),
  fc.oneof(hostileText.map(encoded), fc.constantFrom('1', '-1', '9999999999', 'x', '1e9')),
  { maxKeys: 3 },
);
const command = fc.constantFrom('decide', 'steer', 'pause', 'resume', 'cancel', 'retry', 'x');

const reads = fc
  .tuple(
    fc.constantFrom('/api/hello', '/api/attention', '/api/runs', '/api/blob', '/', '/x'),
    fc.array(segment, { maxLength: 3 }),
    query,
  )
  .map(([start, more, asked]) => ({
    method: 'GET',
    path: `${[start, ...more].join('/')}?${Object.entries(asked)
      .map((pair) => pair.join('='))
      .join('&')}`,
    body: '',
    type: '',
  }));
const writes = fc
  .tuple(segment, command, changed(fc.constant({ incident: 'i1', action: 'retry', text: 'x' }), 0.3), fc.nat(5))
  .map(([run, name, body, kind]) => ({
    method: kind === 5 ? 'PUT' : 'POST',
    path: `/api/runs/${run}/${name}`,
    body: kind === 0 ? '{' : JSON.stringify(body),
    type: kind === 1 ? 'text/plain' : 'application/json',
  }));
const headers = fc.dictionary(
  fc.constantFrom('origin', 'host', 'if-none-match', 'last-event-id', 'accept-encoding', 'cookie', 'sec-fetch-site'),
  fc.constantFrom('null', 'http://evil.example', '*', 'gzip', 'same-origin', '1', 'x'.repeat(500)),
  { maxKeys: 1 },
);

describe('requests to the page', () => {
  let server: UiServer;
  beforeAll(async () => {
    server = await startUiOn(generatedSource({}), { lingerMs: 0 });
  });
  afterAll(() => server.close());

  fuzz({
    name: 'requests to the page',
    input: fc.tuple(fc.oneof({ weight: 3, arbitrary: reads }, { weight: 1, arbitrary: writes }), headers, hostileJson),
    async run([{ method, path, body, type }, more]) {
      const fields = { ...(type === '' ? {} : { 'content-type': type }), ...more };
      const answer = await ask(server, path, { method, headers: fields, ...(body === '' ? {} : { body }) });
      expect(answer.text.length).toBeLessThan(5_000_000);
      if (answer.status < 400) return 'accepted';
      // Refused in JSON with a sentence; never a defect.
      if (answer.status >= 500) throw new Error(`${answer.status}: ${answer.text.slice(0, 500)}`);
      return 'refused';
    },
    shares: { accepted: 0.1, refused: 0.2 },
    cases: 600,
  });

  // Node.js and the server refuse long requests. Therefore twenty short ones are sent.
  test.each<[string, (size: number) => { path: string; body?: string }]>([
    ['a long path', (size) => ({ path: `/api/runs/${'x/'.repeat(size)}` })],
    ['many parameters', (size) => ({ path: `/api/runs?${'q=x&'.repeat(size)}` })],
    ['a long search', (size) => ({ path: `/api/runs/r1/search?q=${'x+'.repeat(size)}` })],
    ['nested lists', (size) => ({ path: '/api/runs/r1/decide', body: '['.repeat(10 * size) })],
    ['many fields', (size) => ({ path: '/api/runs/r1/decide', body: JSON.stringify(fields(size)) })],
  ])('with %s take no time that grows with the square of it', async (_, requestOf) => {
    const largest = 5_000;
    await expectNotQuadratic(
      largest / 16,
      (size) => {
        const { path, body } = requestOf(size);
        const options =
          body === undefined ? {} : { method: 'POST', headers: { 'content-type': 'application/json' }, body };
        return async () => {
          for (let count = 0; count < 20; count += 1) await ask(server, path, options);
        };
      },
      largest / 4,
    );
  });
});

const fields = (size: number): Record<string, number> =>
  Object.fromEntries(Array.from({ length: size }, (_, index) => [`f${index}`, index]));

function encoded(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    return '%ED%A0%80';
  }
}

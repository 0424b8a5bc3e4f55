import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { type Events, eventStream, sse, toolCall, usual } from './hostile-provider';

/** Sends a response that is derived from a valid one, and broken in ways that the seed decides. */
export function hostileResponse(seed: number, response: ServerResponse): void {
  const random = createRandom(seed);
  const status = random.chance(0.7) ? 200 : random.pick(statuses);
  const body = status === 200 ? successBody(random) : errorBody(random);
  const isZipped = random.chance(0.05);
  const headers = {
    ...(random.chance(0.85) ? sse : { 'content-type': random.pick(contentTypes) }),
    ...(isZipped ? { 'content-encoding': 'gzip' } : {}),
    ...extraHeaders(random),
  };
  try {
    response.writeHead(status, headers);
  } catch {
    // Node.js refuses some headers. Then the response has none.
    response.writeHead(status);
  }
  deliver(random, response, isZipped && random.chance(0.5) ? gzipSync(body) : body);
}

const statuses = [
  200, 204, 301, 307, 400, 401, 402, 403, 404, 408, 409, 413, 418, 422, 429, 429, 429, 500, 502, 503, 529, 529, 599,
  700,
];
const contentTypes = ['application/json', 'text/html', '', 'text/event-stream; charset=utf-16', 'application/json; x'];
const delays = [
  '0',
  '',
  '-1',
  '3',
  '86400',
  '1e400',
  'Infinity',
  '-Infinity',
  'NaN',
  'soon',
  '31536000000',
  'Fri, 31 Dec 9999 23:59:59 GMT',
  'Thu, 01 Jan 1970 00:00:00 GMT',
  '0.0001',
  '0x10',
  '1e-400',
];

type Random = ReturnType<typeof createRandom>;

function extraHeaders(random: Random): Record<string, string> {
  return {
    ...(random.chance(0.5) ? { 'retry-after': random.pick(delays) } : {}),
    ...(random.chance(0.2) ? { 'retry-after-ms': random.pick(delays) } : {}),
    ...rateHeaders(random),
    ...(random.chance(0.1) ? { 'x-should-retry': random.pick(['true', 'false', 'maybe', '']) } : {}),
    ...(random.chance(0.02) ? { 'x-long': 'x'.repeat(random.pick([100, 20_000])) } : {}),
    ...(random.chance(0.02) ? { location: 'http://127.0.0.1:1/' } : {}),
  };
}

/** What a provider says about its limits, in the words of either kind of provider. */
function rateHeaders(random: Random): Record<string, string> {
  if (random.chance(0.5)) return {};
  const what = random.pick(['requests', 'tokens', 'input-tokens']);
  const value = (): string => random.pick([...delays, '3', '1m30.5s', `${'1'.repeat(40)}x`, '9'.repeat(400)]);
  return random.chance(0.5)
    ? { [`anthropic-ratelimit-${what}-remaining`]: value(), [`anthropic-ratelimit-${what}-reset`]: value() }
    : { [`x-ratelimit-remaining-${what}`]: value(), [`x-ratelimit-reset-${what}`]: value() };
}

/** Some responses are cut off, some arrive in pieces, and a few never end. */
function deliver(random: Random, response: ServerResponse, body: Buffer): void {
  const sent = random.chance(0.08) ? body.subarray(0, random.below(body.length + 1)) : body;
  const middle = random.below(sent.length + 1);
  response.write(sent.subarray(0, middle));
  response.write(sent.subarray(middle));
  if (random.chance(0.002)) return;
  if (random.chance(0.05)) response.destroy();
  else response.end();
}

const errors = [
  'overloaded_error',
  'rate_limit_error',
  'invalid_request_error',
  'authentication_error',
  'timeout_error',
  'what',
];

function errorBody(random: Random): Buffer {
  const error = {
    type: random.pick(errors),
    message: random.pick(['No.', '', '\ud800', 'Bearer abcdefgh', 'x'.repeat(50_000)]),
  };
  const body = mutated(random, { type: 'error', error }, 0.3);
  return Buffer.from(random.chance(0.1) ? '<html>502</html>' : written(body));
}

function successBody(random: Random): Buffer {
  if (random.chance(0.05)) return Buffer.from(written(mutated(random, wholeMessage, 0.5)));
  if (random.chance(0.04)) return errorBody(random);
  const base = random.pick(streams);
  const events = random.chance(0.25) ? base : (mutated(random, reordered(random, base), 0.9) as Events);
  const text = Array.isArray(events)
    ? eventStream(events.filter((event) => typeof event === 'object' && event !== null))
    : written(events);
  const ended = random.chance(0.05) ? text.replaceAll('\n', random.pick(['\r\n', '\r', '\n\n', ''])) : text;
  const bytes = Buffer.from(ended);
  if (random.chance(0.05))
    for (let times = random.below(5); times >= 0; times -= 1) bytes[random.below(bytes.length)] = random.below(256);
  return bytes;
}

const wholeMessage = {
  type: 'message',
  model: 'm',
  content: [
    { type: 'text', text: 'Hello' },
    { type: 'tool_use', id: 'a', name: 'write_file', input: { text: 'x' } },
  ],
  stop_reason: 'tool_use',
  usage: { input_tokens: 4, output_tokens: 5 },
};

const second = (events: Events): Events =>
  events.filter(({ type }) => String(type).startsWith('content_block')).map((event) => ({ ...event, index: 1 }));
const streams: readonly Events[] = [
  usual,
  toolCall('{"text":"whole"}'),
  toolCall('{"text":"cut o'),
  toolCall('{"n":1e999}'),
  toolCall('null'),
  toolCall(''),
  [...usual.slice(0, 4), ...second(toolCall('{"text":"x"}')), ...toolCall('').slice(4)],
  [...toolCall('{}').slice(0, 4), ...second(toolCall('{}')), ...toolCall('').slice(4)],
  [
    ...usual.slice(0, 1),
    { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 's' } },
    { type: 'content_block_stop', index: 0 },
    ...second(usual),
    ...usual.slice(4),
  ],
  [...usual.slice(0, 1), ...usual.slice(4)],
  [...usual.slice(0, 3), { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }],
];

function reordered(random: Random, events: Events): Events {
  const at = random.below(events.length);
  const event = events[at] ?? {};
  switch (random.below(8)) {
    case 0:
      return events.filter((_, index) => index !== at);
    case 1:
      return [...events, event];
    case 2:
      return [event, ...events];
    case 3:
      return events.slice(0, at);
    case 4:
      return events.flatMap((each) => [each, each]);
    default:
      return events;
  }
}

const values: readonly unknown[] = [
  null,
  '',
  ' \n',
  0,
  -1,
  1.5,
  1e15,
  2 ** 53,
  '1e999',
  true,
  [],
  {},
  [[]],
  'end_turn',
  'tool_use',
  'max_tokens',
  'pause_turn',
  'refusal',
  'text',
  'thinking',
  'tool_result',
  'redacted_thinking',
  '\ud800',
  '\u0000',
  '__proto__',
  'a b',
  'x'.repeat(300),
  'x'.repeat(100_000),
  { toJSON: 1 },
  { __proto__: null, constructor: 1 },
  '{"a":',
  JSON.parse('{"__proto__":{"a":1}}') as unknown,
  JSON.parse(`${'['.repeat(3_000)}${']'.repeat(3_000)}`) as unknown,
];

/** Replaces, with some probability each, values anywhere in a JSON value. */
function mutated(random: Random, value: unknown, probability: number): unknown {
  if (!random.chance(probability)) return value;
  if (typeof value !== 'object' || value === null || random.chance(0.05)) return random.pick(values);
  if (Array.isArray(value)) {
    const at = random.below(value.length);
    return value.map((item: unknown, index) => (index === at ? mutated(random, item, 1) : item));
  }
  const entries = Object.entries(value);
  const at = random.below(entries.length);
  const changed = entries.flatMap(([key, item], index): [string, unknown][] => {
    if (index !== at) return [[key, item]];
    return random.chance(0.1) ? [] : [[key, mutated(random, item, 1)]];
  });
  return Object.fromEntries(changed);
}

function written(value: unknown): string {
  return JSON.stringify(value).replaceAll('"1e999"', '1e999');
}

/** A small generator of random numbers (mulberry32), the same on every machine. */
function createRandom(seed: number) {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    chance: (probability: number): boolean => next() < probability,
    pick: <T>(items: readonly T[]): T => items[below(items.length)] as T,
  };
}

import { gzipSync } from 'node:zlib';
import type { ModelAnswer, ModelPort } from '../../../activities/dependencies';
import { createAnthropicModel } from '../../../activities/model/anthropic-model';
import type { Json } from '../../../domain/kernel';
import { judgeReply, type Message, type ProviderData } from '../../../domain/model';
import {
  type Events,
  eventStream,
  type HostileProvider,
  type Respond,
  sse,
  startHostileProvider,
  streaming,
  toolCall,
  usual,
} from './hostile-provider';
import { requestOf, signal, writeFile } from './support';

let provider: HostileProvider;
let model: ModelPort;
beforeAll(async () => {
  provider = await startHostileProvider();
  model = createAnthropicModel({ apiKey: 'k', baseUrl: provider.baseUrl, idleTimeoutMs: 60_000 });
});
afterAll(() => provider.close());

const request = requestOf({ tools: [writeFile] });
async function answerTo(respond: Respond, port: ModelPort = model): Promise<ModelAnswer> {
  provider.answerWith(respond);
  return port.reply(request, signal);
}
const failureOf = (respond: Respond, port?: ModelPort): Promise<unknown> =>
  answerTo(respond, port).catch((error: unknown) => error);
const provided = (data: Json): { provider: ProviderData } => ({ provider: { name: 'anthropic', data } });
const withUsage = (started: unknown, ended: unknown): Events =>
  usual.map((event) => {
    if (event['type'] === 'message_start') return { ...event, message: { model: 'm', usage: started } };
    return event['type'] === 'message_delta' ? { ...event, usage: ended } : event;
  });

describe('an answer is kept although', () => {
  const zero = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };
  test.each<[string, unknown, unknown]>([
    ['its usage is missing', undefined, undefined],
    ['its usage is null', null, null],
    ['its counts are missing', {}, {}],
    ['its counts are zero', { input_tokens: 0, output_tokens: 0 }, { output_tokens: 0 }],
    ['its counts are negative', { input_tokens: -1 }, { output_tokens: -7 }],
    ['its counts are fractions', { input_tokens: 1.5 }, { output_tokens: 0.1 }],
    ['its counts are texts', { input_tokens: '9' }, { output_tokens: '3' }],
    ['its counts are beyond all numbers', { input_tokens: '1e999' }, { output_tokens: '1e999' }],
    ['one of its counts is odd', { input_tokens: 5, cache_read_input_tokens: -1 }, {}],
    ['its usage is a list', [1], [2]],
  ])('%s', async (_, started, ended) => {
    const answer = await answerTo(streaming(withUsage(started, ended)));
    expect(answer).toMatchObject({ content: [{ type: 'text', text: 'Hello' }], usage: zero });
  });

  test('it is sent as JSON instead of a stream', async () => {
    const content = [{ type: 'text', text: 'Hello' }];
    const body = JSON.stringify({ content, stop_reason: 'end_turn', model: 'm', usage: { input_tokens: 2 } });
    const answer = await answerTo((response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(body),
    );
    expect(answer).toMatchObject({ content, usage: { input: 2 } });
  });

  test('the stream never ends after its last event', async () => {
    const answer = await answerTo((response) => {
      response.writeHead(200, sse).write(eventStream(usual));
    });
    expect(answer.content).toEqual([{ type: 'text', text: 'Hello' }]);
  });

  test('it contains unknown events, deltas and blocks, which are kept unchanged', async () => {
    const unknown = { type: 'brand_new', value: [{ a: 1 }] };
    const answer = await answerTo(
      streaming([
        ...usual.slice(0, 4),
        { type: 'content_block_start', index: 1, content_block: unknown },
        { type: 'content_block_delta', index: 1, delta: { type: 'new_delta', x: 1 } },
        { type: 'new_event' },
        ...usual.slice(4),
      ]),
    );
    const opaque = { type: 'opaque', ...provided(unknown) };
    expect(answer.content).toEqual([{ type: 'text', text: 'Hello' }, opaque]);
  });

  test('it contains thinking with a signature, redacted thinking and citations', async () => {
    const blocks = [
      { type: 'thinking', thinking: '', signature: '' },
      { type: 'redacted_thinking', data: 'abc' },
      { type: 'text', text: '' },
    ].map((content_block, index) => ({ type: 'content_block_start', index, content_block }));
    const deltas = [
      [0, { type: 'thinking_delta', thinking: 'Hm' }],
      [0, { type: 'signature_delta', signature: 'sig' }],
      [2, { type: 'text_delta', text: 'So' }],
      [2, { type: 'citations_delta', citation: { cited_text: 'c' } }],
    ].map(([index, delta]) => ({ type: 'content_block_delta', index, delta }));
    const answer = await answerTo(streaming([...usual.slice(0, 1), ...blocks, ...deltas, ...usual.slice(4)]));
    expect(answer.content).toEqual([
      { type: 'thinking', text: 'Hm', ...provided({ signature: 'sig' }) },
      { type: 'opaque', ...provided({ type: 'redacted_thinking', data: 'abc' }) },
      { type: 'text', text: 'So', ...provided({ citations: [{ cited_text: 'c' }] }) },
    ]);
  });
});

describe('a tool call is never run', () => {
  test.each<[string, Events]>([
    ['with truncated JSON', toolCall('{"steps":["one","two","thr')],
    ['with invalid JSON', toolCall('{"path": nope}')],
    ['with a number beyond all numbers', toolCall('{"n": 1e999}')],
    ['with a list', toolCall('[1]')],
    ['with half a character', toolCall(String.raw`{"text":"\ud800"}`)],
    ['with a million levels', toolCall(`${'['.repeat(1e6)}${']'.repeat(1e6)}`)],
    ['with null at its start', toolCall('', { input: null })],
    ['with 1e999 at its start', toolCall('', { input: { n: '1e999' } })],
    ['that was cut off before its input', toolCall('').filter(({ type }) => type !== 'content_block_stop')],
  ])('%s', async (_, events) => {
    const judgement = judgeReply(await answerTo(streaming(events)), request);
    expect(judgement).toMatchObject({
      verdict: 'repaired',
      answer: { content: [{ type: 'toolCall', input: { unreadable_input: expect.anything() as string } }] },
    });
  });

  test('but one without parameters is', async () => {
    expect(judgeReply(await answerTo(streaming(toolCall(''))), request).verdict).toBe('usable');
  });
});

describe('a call fails with a documented type', () => {
  const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
  const json = { 'content-type': 'application/json' };
  test.each<[string, Respond, string]>([
    ['an error in the middle of a stream', streaming([...usual.slice(0, 3), error]), 'Model.Overloaded'],
    [
      'an error with the status of a success',
      (r) => r.writeHead(200, json).end(JSON.stringify(error)),
      'Model.Overloaded',
    ],
    [
      'an error event that is not JSON',
      (r) => r.writeHead(200, sse).end('event: error\ndata: oh no\n\n'),
      'Model.Unreachable',
    ],
    ['a redirect', (r) => r.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(), 'Model.Unreachable'],
    [
      'a body that is not gzip',
      (r) => r.writeHead(200, { ...sse, 'content-encoding': 'gzip' }).end('not gzip'),
      'Model.Unreachable',
    ],
    [
      'half a gzip',
      (r) => r.writeHead(200, { ...sse, 'content-encoding': 'gzip' }).end(gzipSync(eventStream(usual)).subarray(0, 40)),
      'Model.Unreachable',
    ],
    ['a stream that ends early', streaming(usual.slice(0, 4)), 'Model.Unreachable'],
    ['a stream of nothing', streaming([]), 'Model.Unreachable'],
    ['JSON that is no message', (r) => r.writeHead(200, json).end('[]'), 'Model.Unreachable'],
    ['a page', (r) => r.writeHead(200, { 'content-type': 'text/html' }).end('<html>'), 'Model.Unreachable'],
    [
      'a page with an error',
      (r) => r.writeHead(502, { 'content-type': 'text/html' }).end('<html>'),
      'Model.ServerError',
    ],
    [
      'a message that is no text',
      (r) => r.writeHead(400, json).end('{"error":{"message":{"a":1},"type":7}}'),
      'Model.BadRequest',
    ],
    ['an impossible status', (r) => r.writeHead(999).end('?'), 'Model.Unreachable'],
    ['an empty success', (r) => r.writeHead(204).end(), 'Model.Unreachable'],
    ['headers of a megabyte', (r) => r.writeHead(200, { ...sse, big: 'x'.repeat(1e6) }).end(), 'Model.Unreachable'],
    ['a block that does not exist', streaming([...usual.slice(0, 1), ...usual.slice(2)]), 'Model.Unreachable'],
    [
      'a block of no type',
      streaming([usual[0] ?? {}, { type: 'content_block_start', index: 0, content_block: {} }]),
      'Model.Unreachable',
    ],
    ['a block with a negative number', streaming([usual[0] ?? {}, { ...usual[1], index: -1 }]), 'Model.Unreachable'],
    ['an event that is null', (r) => r.writeHead(200, sse).end('event: x\ndata: null\n\n'), 'Model.Unreachable'],
  ])('after %s', async (_, respond, type) => {
    expect(await failureOf(respond)).toMatchObject({ type });
  });

  test('after a redirect, which is not followed, because the key would go with it', async () => {
    const other = await startHostileProvider();
    await failureOf((response) => response.writeHead(307, { location: other.baseUrl }).end());
    expect(other.requests).toBe(0);
    await other.close();
  });

  test('after a response that is too long, also when it is short before it is decompressed', async () => {
    const small = createAnthropicModel({ apiKey: 'k', baseUrl: provider.baseUrl, maxResponseBytes: 100_000 });
    const bomb = gzipSync(Buffer.alloc(10_000_000, 'data: x\n'));
    const tooLong = {
      type: 'Model.Unreachable',
      message: expect.stringContaining('longer than 100000 bytes') as string,
    };
    const zipped = { ...sse, 'content-encoding': 'gzip' };
    expect(await failureOf((response) => response.writeHead(200, zipped).end(bomb), small)).toMatchObject(tooLong);
    const endless: Respond = (response) => {
      const more = (): void => {
        if (!response.destroyed && response.write('event: ping\ndata: {}\n\n'.repeat(100))) setImmediate(more);
        else if (!response.destroyed) response.once('drain', more);
      };
      response.writeHead(200, sse);
      more();
    };
    expect(await failureOf(endless, small)).toMatchObject(tooLong);
  });

  test('after too long a time, whether nothing arrives, or only bytes, or only pings', async () => {
    const every = (text: string): Respond => {
      return (response) => {
        response.writeHead(200, sse);
        const timer = setInterval(() => response.write(text), 20);
        response.on('close', () => {
          clearInterval(timer);
        });
      };
    };
    const impatient = { apiKey: 'k', baseUrl: provider.baseUrl, idleTimeoutMs: 300 };
    const timedOut = { type: 'Model.TimedOut', nonRetryable: false };
    expect(await failureOf(() => undefined, createAnthropicModel(impatient))).toMatchObject(timedOut);
    expect(await failureOf(every(':'), createAnthropicModel(impatient))).toMatchObject(timedOut);
    const total = createAnthropicModel({ ...impatient, idleTimeoutMs: 60_000, callTimeoutMs: 500 });
    expect(await failureOf(every('event: ping\ndata: {}\n\n'), total)).toMatchObject(timedOut);
  });

  test.each(['{}', '{"input_tokens":"7"}', '{"input_tokens":-1}', '{"input_tokens":1e999}', '[]', 'no'])(
    'if the number of tokens is %s',
    async (body) => {
      provider.answerWith((response) => response.writeHead(200, json).end(body));
      await expect(model.countTokens(request, signal)).rejects.toMatchObject({ type: 'Model.Unreachable' });
    },
  );
});

test('a mark for the cache is set only where the API allows it', async () => {
  let sent = '';
  const { createServer } = await import('node:http');
  const server = createServer((incoming, response) => {
    incoming.on('data', (chunk: Buffer) => (sent += chunk.toString()));
    incoming.on('end', () => response.writeHead(200, sse).end(eventStream(usual)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const here = createAnthropicModel({ apiKey: 'k', baseUrl: `http://127.0.0.1:${port}` });
  const messages: readonly Message[] = [
    { role: 'user', content: [{ type: 'text', text: 'Begin.' }] },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'Hm' },
        { type: 'thinking', text: 't', ...provided({ signature: 's' }) },
        { type: 'opaque', ...provided({ type: 'brand_new' }) },
      ],
    },
  ];
  await here.reply(requestOf({ messages }), signal);
  server.close();
  const marks = { cache_control: { type: 'ephemeral' } };
  const thinking = { type: 'thinking', thinking: 't', signature: 's' };
  expect((JSON.parse(sent) as { messages: unknown }).messages).toEqual([
    messages[0],
    { role: 'assistant', content: [{ type: 'text', text: 'Hm', ...marks }, thinking, { type: 'brand_new' }] },
  ]);
});

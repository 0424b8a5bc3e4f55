import fc from 'fast-check';
import { toFailure } from '../../activities/failure';
import { createAnthropicModel } from '../../activities/model/anthropic-model';
import { createOpenAiCompatibleModel } from '../../activities/model/providers/openai-compatible-model';
import { isFailureType, type Json, redactSecrets } from '../../domain/kernel';
import { judgeReply, usageSchema, withEstimatedUsage } from '../../domain/model';
import { look, requestTo, signal } from '../activities/model/contract/adapters';
import {
  eventStream,
  type HostileProvider,
  startHostileProvider,
  toolCall,
} from '../activities/model/hostile-provider';
import { expectNotQuadratic } from './support/growth';
import { fuzz } from './support/target';
import { changed, hostileText } from './support/values';

const chunk = (delta: Json, more: object = {}): Json => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'scripted',
  choices: [{ index: 0, delta, finish_reason: null, ...more }],
});
const call = (fields: object): Json => ({ tool_calls: [{ index: 0, ...fields }] });
const ends = (reason: string): Json => chunk({}, { finish_reason: reason });
const usage: Json = { id: 'c', choices: [], usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 } };

/** Replies as a server would send them. */
const streams: readonly Json[] = [
  [chunk({ role: 'assistant', content: 'Hel' }), chunk({ content: 'lo' }), ends('stop'), usage],
  [
    chunk(call({ id: 'a', type: 'function', function: { name: 'look', arguments: '{"at"' } })),
    chunk(call({ function: { arguments: ':"x"}' } })),
    ends('tool_calls'),
    usage,
  ],
  [chunk(call({ id: 'a', type: 'function', function: { name: 'look', arguments: '{"at":' } })), ends('length')],
  [chunk({ content: '' }), ends('content_filter')],
  [chunk({ reasoning_content: 'Hm' }), chunk({ content: 'Yes' }), ends('stop'), usage],
];

const responses = fc.record({
  events: changed(fc.constantFrom(...streams), 0.35),
  status: fc.oneof({ weight: 6, arbitrary: fc.constant(200) }, fc.constantFrom(400, 401, 404, 429, 500, 503, 529, 301)),
  isDone: fc.nat(3).map((number) => number > 0),
  cut: fc.nat(9),
  at: fc.nat(),
  text: hostileText,
});

function bodyOf({
  events,
  isDone,
  cut,
  at,
  text,
}: typeof responses extends fc.Arbitrary<infer One> ? One : never): string {
  const whole = sent(Array.isArray(events) ? (events as Json[]) : [events]) + (isDone ? 'data: [DONE]\n\n' : '');
  const place = at % (whole.length + 1);
  if (cut === 0) return whole.slice(0, place);
  return cut === 1 ? whole.slice(0, place) + text + whole.slice(place) : whole;
}

describe('streams of the Chat Completions API', () => {
  let provider: HostileProvider;
  beforeAll(async () => {
    provider = await startHostileProvider();
  });
  afterAll(() => provider.close());

  fuzz({
    name: 'streams of the Chat Completions API',
    input: responses,
    async run(response) {
      provider.answerWith((answer) => {
        answer.writeHead(response.status, { 'content-type': 'text/event-stream' });
        answer.end(bodyOf(response));
      });
      const limits = { idleTimeoutMs: 5_000, maxResponseBytes: 1_000_000 };
      const model = createOpenAiCompatibleModel({ baseUrl: `${provider.baseUrl}/v1`, ...limits });
      const request = requestTo('scripted', { tools: [look] });
      try {
        const answer = withEstimatedUsage(await model.reply(request, signal), request);
        usageSchema.parse(answer.usage);
        return judgeReply(answer, request).verdict === 'unusable' ? 'refused' : 'accepted';
      } catch (error) {
        const { type } = error as { type?: string };
        if (!isFailureType(type)) throw error;
        toFailure(error, redactSecrets);
        return 'refused';
      }
    },
    shares: { accepted: 0.2, refused: 0.2 },
    cases: 600,
  });

  const limits = { idleTimeoutMs: 60_000, maxResponseBytes: 100_000_000 };
  const models = {
    messages: () => createAnthropicModel({ apiKey: 'k', baseUrl: provider.baseUrl, ...limits }),
    chat: () => createOpenAiCompatibleModel({ baseUrl: `${provider.baseUrl}/v1`, ...limits }),
  };
  const text = (size: number): Json[] => Array.from({ length: size }, () => chunk({ content: 'x' }));
  const input = (size: number): Json[] =>
    Array.from({ length: size }, () => chunk(call({ id: 'a', function: { name: 'look', arguments: '[' } })));
  const inputOf = (size: number): string => {
    const [begin, start, delta, ...end] = toolCall('[');
    return eventStream([begin!, start!, ...Array.from({ length: size }, () => delta!), ...end]);
  };
  test.each<[string, keyof typeof models, (size: number) => string]>([
    ['many pieces of text', 'chat', (size) => sent(text(size))],
    ['many pieces of an input', 'chat', (size) => sent(input(size))],
    ['one long line', 'chat', (size) => sent([chunk({ content: 'x'.repeat(10 * size) })])],
    ['a line that does not end', 'chat', (size) => `data: ${'x'.repeat(10 * size)}`],
    ['many empty lines', 'chat', (size) => '\n'.repeat(10 * size)],
    ['many pieces of an input', 'messages', inputOf],
    ['a line that does not end', 'messages', (size) => `data: ${'x'.repeat(10 * size)}`],
    ['many empty lines', 'messages', (size) => '\n'.repeat(10 * size)],
  ])('with %s (%s) take no time that grows with the square of it', async (_, name, bodyFor) => {
    await expectNotQuadratic(
      500,
      (size) => {
        const body = bodyFor(size);
        return async () => {
          provider.answerWith((answer) => answer.writeHead(200, { 'content-type': 'text/event-stream' }).end(body));
          await models[name]()
            .reply(requestTo('scripted', { tools: [look] }), signal)
            .catch(() => undefined);
        };
      },
      30_000,
    );
  });
});

const sent = (events: readonly Json[]): string => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');

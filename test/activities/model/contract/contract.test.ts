import type { ModelAnswer } from '../../../../activities/dependencies';
import type { Message } from '../../../../domain/model';
import {
  dropConnection,
  endEarly,
  fail,
  failMidStream,
  garbleStream,
  hang,
  overloaded,
  rateLimited,
  refuse,
  say,
  type ScriptedModel,
  type ScriptedReply,
  scriptByTurn,
  serverError,
  startScriptedModel,
  useTool,
  useTools,
} from '../../../../testing/scripted-model';
import { adapters, failureOf, look, requestTo, signal } from './adapters';

const longText = say('This answer is long enough to break off somewhere in the middle.', { chunkSize: 8 });
const user = (...texts: readonly string[]): Message => ({
  role: 'user',
  content: texts.map((text) => ({ type: 'text', text })),
});

describe.each(adapters)('the adapter for $name', ({ create, model: name, provider }) => {
  let server: ScriptedModel;
  beforeAll(async () => {
    server = await startScriptedModel(() => say('no script'));
  });
  afterEach(() => {
    // Whatever the adapter sends, the server accepts.
    expect(server.rejected).toEqual([]);
  });
  afterAll(() => server.close());

  /** Continues a conversation with a reply and the results of its calls. */
  async function answered(...messages: readonly Message[]): Promise<ModelAnswer> {
    return create(server).reply(requestTo(name, { tools: [look], messages: [user('Begin.'), ...messages] }), signal);
  }
  const reply = ({ content }: ModelAnswer): Message => ({ role: 'assistant', content });

  test('returns a text, the model, and what was used', async () => {
    server.setScript(() => say('Hello.'));
    const answer = await create(server).reply(requestTo(name), signal);
    expect(answer).toMatchObject({ content: [{ type: 'text', text: 'Hello.' }], stopReason: 'done', model: name });
    const call = server.calls.at(-1);
    expect(answer.usage.output).toBe(call?.usage?.output_tokens);
    const { input, cacheRead, cacheWrite } = answer.usage;
    expect(input + cacheRead + cacheWrite).toBeGreaterThan(0);
    expect(call?.request).toMatchObject({ max_tokens: 4_000, stream: true });
    expect(call?.request.tools).toBeUndefined();
  });

  test('sends temperature, and forbids tools where the engine does', async () => {
    server.setScript(() => say('Hello.'));
    const settings = { ...requestTo(name).settings, temperature: 0.5 };
    await create(server).reply(requestTo(name, { settings, tools: [look], toolChoice: 'none' }), signal);
    expect(server.calls.at(-1)?.request).toMatchObject({
      temperature: 0.5,
      tool_choice: { type: 'none' },
      tools: [{ name: 'look', description: 'Looks at a place.' }],
    });
    await create(server).reply(requestTo(name, { toolChoice: 'none' }), signal);
    expect(server.calls.at(-1)?.request.tool_choice).toBeUndefined();
  });

  test('returns parallel tool calls in order, and sends their results and errors back', async () => {
    server.setScript(
      scriptByTurn(
        useTools(
          [
            { name: 'look', input: { at: 'a' }, id: 'call_1' },
            { name: 'look', input: {}, id: 'call_2' },
          ],
          { text: 'I look.', chunkSize: 3 },
        ),
        (call) => say(call.toolResults.map(({ text, isError }) => `${text}${isError ? '!' : ''}`).join(' ')),
      ),
    );
    const first = await answered();
    expect(first).toMatchObject({
      stopReason: 'toolCalls',
      content: [
        { type: 'text', text: 'I look.' },
        { type: 'toolCall', id: 'call_1', name: 'look', input: { at: 'a' } },
        { type: 'toolCall', id: 'call_2', name: 'look', input: {} },
      ],
    });
    const results: Message = {
      role: 'user',
      content: [
        { type: 'toolResult', callId: 'call_1', isError: false, text: '' },
        { type: 'toolResult', callId: 'call_2', isError: true, text: 'dark' },
        { type: 'text', text: 'Note: hurry.' },
      ],
    };
    const second = await answered(reply(first), results);
    expect(second.content).toMatchObject([{ type: 'text', text: '(empty) dark!' }]);
  });

  test('reads most of a repeated prompt from the cache', async () => {
    const text = 'x'.repeat(8_000);
    server.setScript(scriptByTurn(useTool('look', { at: text }, { id: `cached-${provider}` }), say('Done.')));
    const first = await answered();
    const result = { type: 'toolResult', callId: `cached-${provider}`, isError: false, text } as const;
    const second = await answered(reply(first), { role: 'user', content: [result] });
    const third = await answered(reply(first), { role: 'user', content: [result] });
    expect(second.usage.cacheRead).toBeGreaterThan(0);
    expect(third.usage.cacheRead).toBeGreaterThan(4_000);
    expect(third.usage.input).toBeLessThan(100);
  });

  test('sends thinking back to the provider that wrote it', async () => {
    server.setScript(
      scriptByTurn(useTool('look', {}, { thinking: 'Look first.', id: `thought-${provider}` }), say('Done.')),
    );
    const first = await answered();
    expect(first.content[0]).toMatchObject({ type: 'thinking', text: 'Look first.', provider: { name: provider } });
    const result = { type: 'toolResult', callId: `thought-${provider}`, isError: false, text: 'seen' } as const;
    await answered(reply(first), { role: 'user', content: [result] });
    expect(JSON.stringify(server.calls.at(-1)?.chat ?? server.calls.at(-1)?.request)).toContain('Look first.');
  });

  test('does not send what another provider added', async () => {
    server.setScript(() => say('Done.'));
    const other = { name: 'acme', data: { acme: { secretSauce: 1 } } };
    await answered(
      {
        role: 'assistant',
        content: [
          { type: 'thinking', text: 'Foreign.', provider: other },
          { type: 'opaque', provider: other },
          { type: 'text', text: 'Hi.', provider: other },
        ],
      },
      user('Go on.', 'Twice.'),
    );
    const sent = JSON.stringify(server.calls.at(-1)?.chat ?? server.calls.at(-1)?.request);
    expect(sent).toContain('Hi.');
    expect(sent).not.toMatch(/Foreign|secretSauce/);
  });

  test.each<[string, ScriptedReply, object]>([
    ['a refusal', refuse('No.'), { stopReason: 'refused' }],
    ['the output limit', say('x'.repeat(20_000)), { stopReason: 'outputLimit', usage: { output: 4_000 } }],
    [
      'a tool call that is cut off',
      useTools([{ name: 'look', input: {}, json: `{"at":"${'x'.repeat(20_000)}` }]),
      {
        stopReason: 'outputLimit',
        content: [{ type: 'toolCall', name: 'look', input: expect.any(String) as unknown }],
      },
    ],
  ])('reports %s', async (_, script, expected) => {
    server.setScript(() => script);
    expect(await answered()).toMatchObject(expected);
  });

  test('stops at the end of an answer in XML, and says so', async () => {
    const xml = { xml: { root: 'plan', fields: [{ name: 'goal' }] } };
    server.setScript(() => say('<response><plan><goal>g</goal></plan></response> Bye!'));
    const answer = await create(server).reply(requestTo(name, { output: xml }), signal);
    expect(answer).toMatchObject({
      stopReason: 'stopSequence',
      content: [{ type: 'text', text: '<response><plan><goal>g</goal></plan>' }],
    });
    server.setScript(() => say('I have no plan.'));
    expect(await create(server).reply(requestTo(name, { output: xml }), signal)).toMatchObject({ stopReason: 'done' });
  });

  test('a stop sequence inside a tool call is not a natural end', async () => {
    const xml = { xml: { root: 'plan', fields: [{ name: 'goal' }] } };
    server.setScript(() => useTool('look', { at: 'before </response> after' }));
    const request = requestTo(name, { output: xml, tools: [look] });
    expect(await create(server).reply(request, signal)).toMatchObject({ stopReason: 'stopSequence' });
  });

  test.each<[string, ScriptedReply, string, boolean]>([
    ['429', rateLimited(), 'Model.RateLimited', true],
    ['500', serverError(), 'Model.ServerError', true],
    ['503', fail(503), 'Model.ServerError', true],
    ['529', overloaded(), 'Model.Overloaded', true],
    ['408', fail(408), 'Model.TimedOut', true],
    ['409', fail(409), 'Model.Conflict', true],
    ['400', fail(400), 'Model.BadRequest', false],
    ['404', fail(404), 'Model.NotFound', false],
    ['401', fail(401), 'Model.Unauthorized', false],
    ['403', fail(403), 'Model.Unauthorized', false],
    ['402', fail(402), 'Model.SpendLimit', false],
    ['413', fail(413), 'Model.RequestTooLarge', false],
    ['a drop before the first byte', dropConnection(), 'Model.Unreachable', true],
    ['a drop in the middle', dropConnection({ afterEvents: 4, answer: longText }), 'Model.Unreachable', true],
    ['an early end', endEarly({ answer: longText }), 'Model.Unreachable', true],
    [
      'an early end in a tool call',
      endEarly({ afterEvents: 4, answer: useTool('look', { at: 'x'.repeat(400) }) }),
      'Model.Unreachable',
      true,
    ],
    ['an event that is not JSON', garbleStream({ answer: longText }), 'Model.Unreachable', true],
    ['an overload in mid-stream', failMidStream(), 'Model.Overloaded', true],
    ['a rate limit in mid-stream', failMidStream({ type: 'rate_limit_error' }), 'Model.RateLimited', true],
    ['an error in mid-stream', failMidStream({ type: 'api_error' }), 'Model.ServerError', true],
    ['x-should-retry: false', fail(500, { headers: { 'x-should-retry': 'false' } }), 'Model.ServerError', false],
    ['x-should-retry: true', fail(400, { headers: { 'x-should-retry': 'true' } }), 'Model.BadRequest', true],
  ])('%s is a failure of its type', async (_, trouble, type, isRetryable) => {
    server.setScript(() => trouble);
    const before = server.calls.length;
    expect(await failureOf(answered())).toMatchObject({ type, nonRetryable: !isRetryable });
    // Temporal retries, and nobody else.
    expect(server.calls.length - before).toBe(1);
  });

  test('passes on how long the provider wants to be left alone', async () => {
    server.setScript(() => rateLimited({ retryAfterSeconds: 7 }));
    expect(await failureOf(answered())).toMatchObject({ nextRetryDelay: 7_000 });
    server.setScript(() => fail(503, { headers: { 'retry-after-ms': '2500' } }));
    expect(await failureOf(answered())).toMatchObject({ nextRetryDelay: 2_500 });
  });

  test('a prompt that is too long is a failure of its own type', async () => {
    const small = await startScriptedModel(() => say('ok'), {
      models: [{ id: name, maxInputTokens: 100, maxTokens: 8_000 }],
    });
    const request = requestTo(name, { messages: [user('x'.repeat(4_000))] });
    expect(await failureOf(create(small).reply(request, signal))).toMatchObject({ type: 'Model.ContextExceeded' });
    await small.close();
  });

  test('a server that is not there is unreachable', async () => {
    const gone = await startScriptedModel(() => say('ok'));
    await gone.close();
    expect(await failureOf(create(gone).reply(requestTo(name), signal))).toMatchObject({
      type: 'Model.Unreachable',
      message: expect.stringContaining('ECONNREFUSED') as unknown,
    });
  });

  test('gives up on a provider that says nothing, or never ends', async () => {
    server.setScript(() => hang());
    const impatient = create(server, { idleTimeoutMs: 150 });
    expect(await failureOf(impatient.reply(requestTo(name), signal))).toMatchObject({ type: 'Model.TimedOut' });
    server.setScript(() => hang({ afterEvents: 4, answer: longText }));
    expect(await failureOf(impatient.reply(requestTo(name), signal))).toMatchObject({ type: 'Model.TimedOut' });
    server.setScript(() => say('x'.repeat(400), { chunkSize: 1, chunkDelayMs: 20 }));
    const busy = create(server, { idleTimeoutMs: 5_000, callTimeoutMs: 300 });
    expect(await failureOf(busy.reply(requestTo(name), signal))).toMatchObject({ type: 'Model.TimedOut' });
  });

  test('waits for a slow provider as long as something arrives', async () => {
    server.setScript(() => say('x'.repeat(20), { chunkSize: 1, chunkDelayMs: 60 }));
    const patient = create(server, { idleTimeoutMs: 700 });
    expect(await patient.reply(requestTo(name), signal)).toMatchObject({ stopReason: 'done' });
  });

  test('a response that is too long is not read to its end', async () => {
    server.setScript(() => say('x'.repeat(12_000)));
    const small = create(server, { maxResponseBytes: 5_000 });
    expect(await failureOf(small.reply(requestTo(name), signal))).toMatchObject({
      type: 'Model.Unreachable',
      message: expect.stringContaining('longer than 5000 bytes') as unknown,
    });
  });

  test('stops when the call is cancelled in mid-stream', async () => {
    server.setScript(() => hang({ afterEvents: 4, answer: longText }));
    const cancel = new AbortController();
    const index = server.calls.length;
    const waiting = failureOf(create(server).reply(requestTo(name), cancel.signal));
    await server.waitForCall(index);
    cancel.abort();
    await waiting;
    expect((await server.waitForOutcome(index)).outcome).toBe('aborted');
  });

  test('counts that cannot be true are left to the engine', async () => {
    server.setScript(() =>
      say('Hi', { usage: { input_tokens: -5, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 } }),
    );
    expect((await answered()).usage).toMatchObject({ input: 0, cacheRead: 0, cacheWrite: 0 });
  });

  test('the key and the request never become part of a failure', async () => {
    const strict = await startScriptedModel(() => say('ok'), { apiKey: 'another' });
    const port = create(strict, { apiKey: 'sk-verysecretkey-0123456789' });
    const request = requestTo(name, { system: 'The password is hunter2.' });
    const failure = await failureOf(port.reply(request, signal));
    expect(failure).toMatchObject({ type: 'Model.Unauthorized', cause: undefined });
    expect(JSON.stringify(failure) + String((failure as Error).stack)).not.toMatch(/verysecret|hunter2/);
    await strict.close();
  });
});

import { LLMock } from '@copilotkit/aimock';
import type { ModelAnswer } from '../../../../activities/dependencies';
import type { Message } from '../../../../domain/model';
import { adapters, failureOf, look, requestTo, signal } from './adapters';

// A server that we did not write, and that plays both APIs. It reads requests and writes replies as its authors
// understand these APIs, so a mistake that our adapters and our scripted model have in common shows here.
describe.each(adapters)('a server of others, over $name', ({ create, model: name }) => {
  const mock = new LLMock({ port: 0, logLevel: 'silent' });
  const server = (): { baseUrl: string; chatBaseUrl: string } => ({ baseUrl: mock.url, chatBaseUrl: `${mock.url}/v1` });
  const user = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] });
  const ask = (text: string, ...more: readonly Message[]): Promise<ModelAnswer> =>
    create(server()).reply(requestTo(name, { tools: [look], messages: [user(text), ...more] }), signal);

  beforeAll(async () => {
    mock.onMessage('greet me', { content: 'Good morning.' });
    mock.onMessage('long', { content: 'word '.repeat(2_000) });
    mock.on(
      { userMessage: 'look around', turnIndex: 0 },
      {
        toolCalls: [
          { name: 'look', arguments: '{"at":"left"}' },
          { name: 'look', arguments: '{"at":"right"}' },
        ],
      },
    );
    mock.on({ userMessage: 'look around', turnIndex: 1 }, { content: 'Seen.' });
    mock.onMessage('cached', {
      content: 'Cheap.',
      usage: { prompt_tokens: 100, completion_tokens: 7, input_tokens: 100, output_tokens: 7 },
    });
    await mock.start();
  });
  afterAll(() => mock.stop());

  test('answers with text', async () => {
    const answer = await ask('greet me');
    expect(answer).toMatchObject({ stopReason: 'done', content: [{ type: 'text', text: 'Good morning.' }] });
    expect(answer.usage.output).toBeGreaterThanOrEqual(0);
  });

  test('answers with a long text in many pieces', async () => {
    const { content } = await ask('long');
    expect(content).toMatchObject([{ type: 'text', text: 'word '.repeat(2_000) }]);
  });

  test('reports what was used', async () => {
    expect((await ask('cached')).usage).toMatchObject({ input: 100, cacheRead: 0, output: 7 });
  });

  test('calls two tools, and understands their results', async () => {
    const first = await ask('look around');
    expect(first).toMatchObject({
      stopReason: 'toolCalls',
      content: [
        { type: 'toolCall', name: 'look', input: { at: 'left' } },
        { type: 'toolCall', name: 'look', input: { at: 'right' } },
      ],
    });
    const results = first.content.flatMap((block) =>
      block.type === 'toolCall'
        ? [{ type: 'toolResult' as const, callId: block.id, isError: false, text: 'A wall.' }]
        : [],
    );
    const second = await ask(
      'look around',
      { role: 'assistant', content: first.content },
      { role: 'user', content: results },
    );
    expect(second).toMatchObject({ stopReason: 'done', content: [{ type: 'text', text: 'Seen.' }] });
    const { body } = mock.getLastRequest() ?? {};
    const received = (body as { messages: { role: string; tool_call_id?: string }[] }).messages;
    // The server keeps requests of both APIs in one form.
    expect(received.filter(({ role }) => role === 'tool').map((message) => message.tool_call_id)).toEqual(
      results.map(({ callId }) => callId),
    );
  });

  test.each([
    [429, 'Model.RateLimited'],
    [500, 'Model.ServerError'],
    [503, 'Model.ServerError'],
    [401, 'Model.Unauthorized'],
    [400, 'Model.BadRequest'],
  ])('fails with %i', async (status, type) => {
    mock.nextRequestError(status, { message: 'Not now.' });
    expect(await failureOf(ask('greet me'))).toMatchObject({
      type,
      message: expect.stringContaining('Not now') as unknown,
    });
  });

  test.each([
    ['drops the connection', { disconnectRate: 1 }],
    ['sends what is not JSON', { malformedRate: 1 }],
  ])('%s', async (_, chaos) => {
    mock.setChaos(chaos);
    expect(await failureOf(ask('greet me'))).toMatchObject({ type: 'Model.Unreachable', nonRetryable: false });
    mock.clearChaos();
  });

  test('is slow, and the call is cancelled', async () => {
    mock.onMessage('slow', { content: 'word '.repeat(60) }, { latency: 50, chunkSize: 5 });
    const cancel = new AbortController();
    const request = requestTo(name, { messages: [user('slow')] });
    const waiting = failureOf(create(server()).reply(request, cancel.signal));
    setTimeout(() => {
      cancel.abort();
    }, 200);
    const began = Date.now();
    await waiting;
    expect(Date.now() - began).toBeLessThan(5_000);
  });
});

import {
  dropConnection,
  endEarly,
  fail,
  failMidStream,
  hang,
  overloaded,
  rateLimited,
  refuse,
  say,
  scriptByTurn,
  useTool,
  useTools,
} from '../../../../testing/scripted-model';
import { ask, closeAll, complete, start, streamed, tool } from './support';

afterEach(closeAll);

interface Chunk {
  readonly choices: readonly {
    readonly delta: {
      readonly content?: string;
      readonly reasoning_content?: string;
      readonly tool_calls?: readonly object[];
    };
    readonly finish_reason: string | null;
  }[];
  readonly usage?: unknown;
}

const chunksOf = (lines: readonly string[]): readonly Chunk[] =>
  lines.filter((line) => line !== '[DONE]').map((line) => JSON.parse(line) as Chunk);
const textOf = (lines: readonly string[]): string =>
  chunksOf(lines)
    .map(({ choices }) => choices[0]?.delta.content ?? '')
    .join('');

describe('a chat completion', () => {
  test('is one document without stream, and has the counts of its tokens', async () => {
    const model = await start(() => say('Hello.'));
    const { body } = await complete(model, ask('Hi'));
    expect(body.choices).toMatchObject([{ message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }]);
    expect(body.usage).toMatchObject({ completion_tokens: 2, prompt_tokens_details: { cached_tokens: 0 } });
  });

  test('is streamed in pieces that end with the reason, the usage if asked for, and [DONE]', async () => {
    const model = await start(() => say('Hello, world.', { chunkSize: 5, thinking: 'Greet.' }));
    const lines = await streamed(model, ask('Hi', { stream_options: { include_usage: true } }));
    expect(lines.at(-1)).toBe('[DONE]');
    const chunks = chunksOf(lines);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) as unknown } });
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop');
    expect(textOf(lines)).toBe('Hello, world.');
    expect(chunks.flatMap(({ choices }) => choices[0]?.delta.reasoning_content ?? []).join('')).toBe('Greet.');
    expect(chunksOf(await streamed(model, ask('Hi'))).every(({ usage }) => usage === undefined)).toBe(true);
  });

  test('calls several tools at once, and the script sees their results and errors', async () => {
    const model = await start(
      scriptByTurn(
        useTools([
          { name: 'look', input: { at: 'a' }, id: 'call_1' },
          { name: 'look', input: { at: 'b' }, id: 'call_2' },
        ]),
        (call) => say(call.toolResults.map(({ text, isError }) => `${text}${isError ? '!' : ''}`).join(' ')),
      ),
    );
    const request = { messages: [] as object[], ...ask('Hi'), tools: [tool('look')] };
    const first = await complete(model, request);
    expect(first.body.choices[0]?.finish_reason).toBe('tool_calls');
    const calls = first.body.choices[0]?.message.tool_calls ?? [];
    expect(calls).toMatchObject([
      { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":"a"}' } },
      { id: 'call_2' },
    ]);
    const second = await complete(model, {
      ...request,
      messages: [
        ...request.messages,
        { role: 'assistant', content: null, tool_calls: calls },
        { role: 'tool', tool_call_id: 'call_1', content: 'seen' },
        { role: 'tool', tool_call_id: 'call_2', content: 'Error: dark' },
      ],
    });
    expect(second.body.choices[0]?.message.content).toBe('seen dark!');
    expect(model.calls[1]?.request.messages).toHaveLength(3);
    expect(second.body.usage).toMatchObject({
      prompt_tokens_details: { cached_tokens: expect.any(Number) as unknown },
    });
    expect(model.calls[1]?.usage?.cache_read_input_tokens).toBeGreaterThan(0);
  });

  test('streams tool calls by index, with their arguments in pieces', async () => {
    const model = await start(() => useTool('look', { at: 'the sea' }, { chunkSize: 4, id: 'call_1' }));
    const deltas = chunksOf(await streamed(model, ask('Hi', { tools: [tool('look')] }))).flatMap(
      ({ choices }) => (choices[0]?.delta.tool_calls ?? []) as { index: number; function: { arguments: string } }[],
    );
    expect(deltas[0]).toMatchObject({ index: 0, id: 'call_1', function: { name: 'look' } });
    expect(deltas.map((delta) => delta.function.arguments).join('')).toBe('{"at":"the sea"}');
  });

  test.each([
    ['a stop sequence', { stop: ['world'] }, say('Hello, world.'), 'stop', 'Hello, '],
    ['its limit', { max_tokens: 1 }, say('Hello, world.'), 'length', 'Hell'],
    ['a refusal', {}, refuse('No.'), 'content_filter', 'No.'],
  ])('ends at %s', async (_, more, reply, reason, text) => {
    const model = await start(() => reply);
    const { body } = await complete(model, ask('Hi', more));
    expect(body.choices[0]).toMatchObject({ finish_reason: reason, message: { content: text } });
  });

  test('refuses tools of a script that the request forbids', async () => {
    const model = await start(() => useTool('look', {}));
    const { status, body } = await complete(model, ask('Hi', { tools: [tool('look')], tool_choice: 'none' }));
    expect({ status, message: body.error.message }).toEqual({
      status: 500,
      message: expect.stringContaining('tool_choice none') as unknown,
    });
  });

  test('lists its models in the format of the API that asks', async () => {
    const model = await start(() => say('ok'));
    const listed = (await (await fetch(`${model.chatBaseUrl}/models`)).json()) as { data: { id: string }[] };
    expect(listed.data.map(({ id }) => id)).toContain('scripted');
    const headers = { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' };
    expect(await (await fetch(`${model.baseUrl}/v1/models`, { headers })).json()).toMatchObject({ has_more: false });
    expect((await fetch(`${model.chatBaseUrl}/embeddings`, { method: 'POST', headers })).status).toBe(404);
  });

  test('requires the key of the server, if it has one, and never repeats it', async () => {
    const model = await start(() => say('ok'), { apiKey: 'sk-right' });
    expect((await complete(model, ask('Hi'), 'sk-right')).status).toBe(200);
    const wrong = await complete(model, ask('Hi'), 'sk-wrong');
    expect(wrong).toMatchObject({ status: 401, body: { error: { code: 'invalid_api_key' } } });
    expect(wrong.body.error.message).not.toContain('sk-');
    expect((await complete(model, ask('Hi'))).status).toBe(401);
  });
});

describe('trouble in the format of chat completions', () => {
  test.each([
    ['a rate limit', rateLimited({ retryAfterSeconds: 7 }), 429, 'requests', 'rate_limit_exceeded'],
    ['overload', overloaded(), 529, 'server_error', 'overloaded'],
    ['a spend limit', fail(402), 402, 'insufficient_quota', 'insufficient_quota'],
    ['another error', fail(503, { type: 'acme_error' }), 503, 'acme_error', null],
  ])('%s', async (_, reply, status, type, code) => {
    const model = await start(() => reply);
    const failed = await complete(model, ask('Hi'));
    expect(failed).toMatchObject({ status, body: { error: { type, code } } });
    expect(failed.headers.get('retry-after')).toBe(status === 429 ? '7' : null);
    expect(model.calls[0]).toMatchObject({ outcome: 'failed', status });
  });

  test('an error in the middle of a stream', async () => {
    const model = await start(() => failMidStream());
    const lines = await streamed(model, ask('Hi'));
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ error: { message: 'Overloaded' } });
    expect(lines).not.toContain('[DONE]');
  });

  test('an end that comes early', async () => {
    const model = await start(() => endEarly());
    const lines = await streamed(model, ask('Hi'));
    expect(lines).toHaveLength(3);
    expect(model.calls[0]?.outcome).toBe('dropped');
  });

  test('a connection that drops, and one that hangs', async () => {
    const model = await start(() => dropConnection({ afterEvents: 2 }));
    await expect(streamed(model, ask('Hi'))).rejects.toThrow();
    model.setScript(() => hang());
    const giveUp = new AbortController();
    const waiting = fetch(`${model.chatBaseUrl}/chat/completions`, {
      method: 'POST',
      body: JSON.stringify(ask('Hello?')),
      signal: giveUp.signal,
    });
    await model.waitForCall(1);
    giveUp.abort();
    await expect(waiting).rejects.toThrow();
    expect((await model.waitForOutcome(1)).outcome).toBe('aborted');
  });
});

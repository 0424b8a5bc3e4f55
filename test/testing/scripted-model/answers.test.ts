import type Anthropic from '@anthropic-ai/sdk';
import { scriptByTurn, refuse, say, useTool, useTools } from '../../../testing/scripted-model';
import { ask, closeAll, start, tool } from './support';

afterEach(closeAll);

const eventTypes = async (stream: AsyncIterable<Anthropic.RawMessageStreamEvent>): Promise<string[]> => {
  const types: string[] = [];
  for await (const event of stream) types.push(event.type);
  return types;
};

describe('a reply', () => {
  it('is sent as one message', async () => {
    const { client, model } = await start(() => say('Hello.'));
    const message = await client.messages.create(ask('Hi'));
    expect(message).toMatchObject({
      role: 'assistant',
      model: 'claude-opus-5-5',
      content: [{ type: 'text', text: 'Hello.' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 2, output_tokens: 2 },
    });
    expect(model.answered).toBe(1);
    expect(model.calls).toMatchObject([
      { index: 0, attempt: 0, outcome: 'answered', status: 200, usage: { output_tokens: 2 } },
    ]);
  });

  it('is streamed with the events of the API, in chunks that add up', async () => {
    const { client, model } = await start(() => say('Grüße an 🌍 und alle.', { chunkSize: 5 }));
    const final = await client.messages.stream(ask('Hi')).finalMessage();
    expect(final.content).toEqual([{ type: 'text', text: 'Grüße an 🌍 und alle.', citations: null }]);
    expect(final.stop_reason).toBe('end_turn');
    const types = await eventTypes(await client.messages.create({ ...ask('Hi'), stream: true }));
    const deltas = Array.from({ length: 4 }, () => 'content_block_delta');
    expect(types).toEqual([
      ...['message_start', 'content_block_start', ...deltas, 'content_block_stop', 'message_delta', 'message_stop'],
    ]);
    expect(model.answered).toBe(2);
  });

  it('is the same with and without streaming, except for its id', async () => {
    const { client } = await start(() =>
      useTool('look', { at: [1, { deep: 'ü' }] }, { text: 'I look.', thinking: 'Hm.' }),
    );
    const request = ask('Hi', { tools: [tool('look')] });
    const whole = await client.messages.create(request);
    const streamed = await client.messages.stream(request).finalMessage();
    const withoutIds = (message: Anthropic.Message) =>
      message.content.map((block) => (block.type === 'tool_use' ? { ...block, id: '' } : block));
    expect(withoutIds(streamed)).toEqual(withoutIds(whole));
    expect(streamed.usage).toEqual(whole.usage);
    expect(streamed.id).not.toBe(whole.id);
  });

  it('contains pings, which the client ignores', async () => {
    const { model } = await start(() => say('Hello.'));
    const response = await fetch(`${model.baseUrl}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': 'any', 'anthropic-version': '2023-06-01' },
      body: JSON.stringify({ ...ask('Hi'), stream: true }),
    });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    expect(response.headers.get('request-id')).toMatch(/^req_/);
    expect(await response.text()).toContain('event: ping\ndata: {"type":"ping"}\n\n');
  });

  it('may be a refusal, or have any stop reason and usage that the script sets', async () => {
    const { client } = await start(
      scriptByTurn((call) =>
        call.lastUserText === 'no'
          ? refuse()
          : say('…', { stopReason: 'pause_turn', usage: { input_tokens: 150_000 } }),
      ),
    );
    expect(await client.messages.create(ask('no'))).toMatchObject({ stop_reason: 'refusal', content: [] });
    const paused = await client.messages.create(ask('yes'));
    expect(paused).toMatchObject({ stop_reason: 'pause_turn', usage: { input_tokens: 150_000 } });
  });

  it('begins after the requested delay', async () => {
    const { client } = await start(() => say('abcdef'), { pace: { delayMs: 60 } });
    const began = performance.now();
    const stream = client.messages.stream(ask('Hi'));
    await stream.emitted('connect');
    expect(performance.now() - began).toBeGreaterThan(50);
    await stream.finalMessage();
  });

  it('is sent in chunks at the requested pace', async () => {
    const { client } = await start(() => say('abcdef', { chunkSize: 2 }), { pace: { chunkDelayMs: 30 } });
    const began = performance.now();
    await client.messages.stream(ask('Hi')).finalMessage();
    expect(performance.now() - began).toBeGreaterThan(80);
  });
});

describe('tools', () => {
  it('are called with their input, several in one turn, and the script sees the results', async () => {
    const { client } = await start(
      scriptByTurn(
        useTools(
          [
            { name: 'look', input: { at: 'a' } },
            { name: 'look', input: {} },
          ],
          { text: 'Two looks.' },
        ),
        (call) => say(call.toolResults.map(({ text, isError }) => `${text}${isError ? '!' : ''}`).join(' ')),
      ),
    );
    const request = ask('Go', { tools: [tool('look')] });
    const wanted = await client.messages.stream(request).finalMessage();
    expect(wanted.stop_reason).toBe('tool_use');
    const uses = wanted.content.filter((block) => block.type === 'tool_use');
    expect(uses.map(({ input }) => input)).toEqual([{ at: 'a' }, {}]);
    const results = uses.map(({ id }, at) => ({
      type: 'tool_result' as const,
      tool_use_id: id,
      content: [{ type: 'text' as const, text: `r${at}` }],
      is_error: at === 1,
    }));
    const messages = [...request.messages, { role: 'assistant' as const, content: wanted.content }];
    const answer = await client.messages.create({
      ...request,
      messages: [...messages, { role: 'user', content: results }],
    });
    expect(answer.content).toMatchObject([{ text: 'r0 r1!' }]);
  });

  it('have ids that follow from the request and the attempt', async () => {
    const ids = async (): Promise<string[]> => {
      const { client } = await start(() =>
        useTools([
          { name: 'look', input: {} },
          { name: 'look', input: {} },
        ]),
      );
      const twice = [await client.messages.create(ask('Go')), await client.messages.create(ask('Go'))];
      return twice.flatMap(({ content }) => content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])));
    };
    const first = await ids();
    expect(new Set(first).size).toBe(4);
    expect(await ids()).toEqual(first);
  });
});

describe('limits', () => {
  it('cut the text before a stop sequence and name it', async () => {
    const { client } = await start(() => useTool('look', {}, { text: '<response>42</response> and more' }));
    const request = ask('Hi', { stop_sequences: ['nothing', '</response>'], tools: [tool('look')] });
    const expected = {
      content: [{ type: 'text', text: '<response>42' }],
      stop_reason: 'stop_sequence',
      stop_sequence: '</response>',
    };
    expect(await client.messages.create(request)).toMatchObject(expected);
    expect(await client.messages.stream(request).finalMessage()).toMatchObject(expected);
  });

  it('cut the text at max_tokens, never inside a character', async () => {
    const { client } = await start(() => say('aaaaaaa€€€'));
    const message = await client.messages.create(ask('Hi', { max_tokens: 2 }));
    expect(message).toMatchObject({
      stop_reason: 'max_tokens',
      content: [{ text: 'aaaaaaa' }],
      usage: { output_tokens: 2 },
    });
  });

  it('leave partial JSON when they cut the input of a tool', async () => {
    const { client } = await start(() => useTool('write', { path: 'a.md', text: 'x'.repeat(100) }));
    const request = ask('Hi', { max_tokens: 10, tools: [tool('write')] });
    let json = '';
    const stream = client.messages.stream(request).on('streamEvent', (event) => {
      if (event.type === 'content_block_delta' && event.delta.type === 'input_json_delta')
        json += event.delta.partial_json;
    });
    expect((await stream.finalMessage()).stop_reason).toBe('max_tokens');
    expect(json).toHaveLength(40);
    expect(() => void JSON.parse(json)).toThrow();
    expect(json.startsWith('{"path":"a.md","text":"xxx')).toBe(true);
  });

  it('end a reply that exceeds the context window with its own stop reason', async () => {
    const models = [{ id: 'claude-opus-5-5', maxInputTokens: 20, maxTokens: 1000 }];
    const { client } = await start(() => say('y'.repeat(100)), { models });
    const message = await client.messages.create(ask('x'.repeat(35)));
    expect(message.stop_reason).toBe('model_context_window_exceeded');
    expect(message.usage.output_tokens).toBe(10);
  });
});

import type Anthropic from '@anthropic-ai/sdk';
import { scriptByTurn, say, useTool } from '../../../testing/scripted-model';
import { ask, closeAll, errorOf, start, tool } from './support';

afterEach(closeAll);

const use = (id: string): object => ({ type: 'tool_use', id, name: 'look', input: {} });
const result = (id: string, more: object = {}): object => ({
  type: 'tool_result',
  tool_use_id: id,
  content: 'r',
  ...more,
});
const user = (content: unknown): object => ({ role: 'user', content });
const assistant = (content: unknown): object => ({ role: 'assistant', content });
const marked = { type: 'text', text: 'x', cache_control: { type: 'ephemeral' } };
const openSchema = { type: 'object', properties: {} };

const refused: readonly [string, object, string][] = [
  ['no messages', { messages: [] }, 'at least one message is required'],
  ['an assistant first', { messages: [assistant('Hi'), user('Hi')] }, 'first message must use the "user" role'],
  ['an assistant last', { messages: [user('Hi'), assistant('The')] }, 'must end with a user message'],
  ['an unknown role', { messages: [{ role: 'tool', content: 'x' }] }, 'messages.0.role'],
  ['no max_tokens', { max_tokens: undefined }, 'max_tokens: Field required'],
  ['too many max_tokens', { max_tokens: 1_000_000 }, 'maximum allowed number of output tokens'],
  ['a field the API lacks', { maxTokens: 5 }, 'maxTokens: Extra inputs are not permitted'],
  [
    'a mark on a message',
    { messages: [{ ...user('Hi'), cache_control: {} }] },
    'messages.0.cache_control: Extra inputs',
  ],
  ['empty text', { messages: [user('')] }, 'text content blocks must be non-empty'],
  ['blank text', { messages: [user([{ type: 'text', text: ' \n' }])] }, 'non-whitespace text'],
  ['an empty system block', { system: [{ type: 'text', text: '' }] }, 'system: text content blocks must be non-empty'],
  ['empty content', { messages: [user([])] }, 'must have non-empty content'],
  ['an unknown block', { messages: [user([{ type: 'audio' }])] }, "Input tag 'audio'"],
  ['a call without result', { messages: [user('Hi'), assistant([use('a')]), user('Go on')] }, 'ids were found without'],
  ['a call at the end', { messages: [user('Hi'), assistant([use('a')])] }, 'immediately after: a.'],
  [
    'a result behind text',
    { messages: [user('Hi'), assistant([use('a')]), user([{ type: 'text', text: 'x' }, result('a')])] },
    'ids were found without `tool_result` blocks immediately after',
  ],
  ['a result without call', { messages: [user([result('a')])] }, 'unexpected `tool_use_id`'],
  [
    'a result twice',
    { messages: [user('Hi'), assistant([use('a')]), user([result('a'), result('a')])] },
    'must have a single result',
  ],
  ['a call by the user', { messages: [user([use('a')])] }, 'can only be in `assistant` messages'],
  [
    'the same id twice',
    { messages: [user('Hi'), assistant([use('a'), use('a')]), user([result('a')])] },
    'ids must be unique',
  ],
  [
    'an error without a word',
    { messages: [user('Hi'), assistant([use('a')]), user([result('a', { content: '', is_error: true })])] },
    'content cannot be empty',
  ],
  ['the same tool twice', { tools: [tool('look'), tool('look')] }, 'Tool names must be unique'],
  ['a bad tool name', { tools: [tool('look at')] }, 'should match pattern'],
  ['a tool without schema', { tools: [{ name: 'look' }] }, 'input_schema: Field required'],
  [
    'a choice of no tool',
    { tool_choice: { type: 'tool', name: 'fly' }, tools: [tool('look')] },
    "Tool 'fly' not found",
  ],
  ['five breakpoints', { messages: [user([marked, marked, marked, marked, marked])] }, 'A maximum of 4 blocks'],
  ['a wrong breakpoint', { messages: [user([{ ...marked, cache_control: { type: 'x' } }])] }, "should be 'ephemeral'"],
  ['a blank stop sequence', { stop_sequences: ['\n'] }, 'must contain non-whitespace'],
  ['a temperature', { temperature: 0.5 }, '`temperature` is deprecated for this model.'],
  [
    'an open schema',
    { output_config: { format: { type: 'json_schema', schema: openSchema } } },
    'additionalProperties',
  ],
];

describe('a malformed request', () => {
  it.each(refused)('with %s is refused', async (_name, change, message) => {
    const { client, model } = await start(() => say('ok'));
    const request = { ...ask('Hi'), ...change };
    const error = await errorOf(client.messages.stream(request).finalMessage());
    expect(error).toMatchObject({ status: 400, type: 'invalid_request_error' });
    expect(error.apiMessage).toContain(message);
    expect(model.calls).toHaveLength(0);
    expect(model.rejected).toHaveLength(1);
  });

  it('that is not JSON is refused', async () => {
    const { model } = await start(() => say('ok'));
    const headers = { 'x-api-key': 'any', 'anthropic-version': '2023-06-01' };
    const response = await fetch(`${model.baseUrl}/v1/messages`, { method: 'POST', headers, body: '{"model":' });
    expect(response.status).toBe(400);
    const unversioned = await fetch(`${model.baseUrl}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': 'any' },
    });
    expect(await unversioned.text()).toContain('anthropic-version: header is required');
    expect((await fetch(`${model.baseUrl}/v2`, { headers })).status).toBe(404);
  });
});

describe('a request that the API accepts', () => {
  it('may set sampling parameters and a prefill for models that support them', async () => {
    const { client } = await start(() => say('ok'));
    const request = ask('Hi', { model: 'claude-haiku-4-5' });
    const messages = [...request.messages, { role: 'assistant' as const, content: 'The' }];
    const sampled: object = { ...request, temperature: 0.2, messages };
    await client.messages.create(sampled as Anthropic.MessageCreateParamsNonStreaming);
  });

  it('may ask for structured output', async () => {
    const { client } = await start(() => say('{"n":1}'));
    const schema = { type: 'object', properties: { n: { type: 'integer' } }, additionalProperties: false };
    const request = ask('Hi', { output_config: { format: { type: 'json_schema', schema } } });
    expect((await client.messages.create(request)).content).toMatchObject([{ text: '{"n":1}' }]);
  });

  it('may continue where the model paused, and nowhere else', async () => {
    const { client } = await start(scriptByTurn(say('Wait', { stopReason: 'pause_turn' }), say('Done')));
    const request = ask('Hi');
    const paused = await client.messages.create(request);
    const resume = (content: Anthropic.ContentBlockParam[]) =>
      client.messages.create({ ...request, messages: [...request.messages, { role: 'assistant', content }] });
    expect((await resume(paused.content)).content).toMatchObject([{ text: 'Done' }]);
    expect((await errorOf(resume([{ type: 'text', text: 'Else' }]))).status).toBe(400);
  });
});

describe('thinking', () => {
  const withThinking = async (
    change: (messages: Anthropic.MessageParam[]) => Anthropic.MessageParam[],
    reordered = false,
  ) => {
    const { client } = await start(
      scriptByTurn(useTool('look', { b: 1, a: 2 }, { thinking: 'Let me see.' }), say('Seen.')),
    );
    const request = ask('Go', { tools: [tool('look')], system: 'Be brief.' });
    const first = await client.messages.stream(request).finalMessage();
    const content = first.content.map((block) =>
      block.type === 'tool_use' && reordered ? { ...block, input: { a: 2, b: 1 } } : block,
    );
    const id = content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []))[0] ?? '';
    const messages: Anthropic.MessageParam[] = [
      ...request.messages,
      { role: 'assistant', content },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'r' }] },
    ];
    return client.messages.create({ ...request, messages: change(messages) });
  };

  it('is accepted unchanged', async () => {
    expect((await withThinking((messages) => messages)).content).toMatchObject([{ text: 'Seen.' }]);
    await withThinking((messages) => messages, true);
  });

  it('is refused after a changed conversation', async () => {
    const error = await errorOf(withThinking(([, ...rest]) => [{ role: 'user', content: 'Stop' }, ...rest]));
    expect(error.message).toContain('messages.1.content.0: Invalid `signature` in `thinking` block');
  });

  it('is refused when it was changed', async () => {
    const tampered = withThinking((messages) =>
      messages.map((message) =>
        message.role === 'assistant' && typeof message.content !== 'string'
          ? {
              ...message,
              content: message.content.map((block) => (block.type === 'thinking' ? { ...block, thinking: '' } : block)),
            }
          : message,
      ),
    );
    expect((await errorOf(tampered)).status).toBe(400);
  });
});

import type Anthropic from '@anthropic-ai/sdk';
import { say, useTool, useTools } from '../../../testing/scripted-model';
import { ask, closeAll, errorOf, start, tool } from './support';

afterEach(closeAll);

const look = tool('look');
const stops = { stop_sequences: ['</response>'], tools: [look] };
const none = { tool_choice: { type: 'none' as const }, tools: [look] };

/** The tool input as it was sent over the wire. */
async function inputsOf(client: Anthropic, request: Anthropic.MessageStreamParams): Promise<string> {
  let written = '';
  const stream = client.messages.stream(request).on('streamEvent', (event) => {
    if (event.type === 'content_block_delta' && event.delta.type === 'input_json_delta')
      written += event.delta.partial_json;
  });
  await stream.finalMessage();
  return written;
}

describe('a stop sequence', () => {
  it('cuts the input of a tool, and no later call is made', async () => {
    const { client } = await start(() =>
      useTools([
        { name: 'look', input: { at: 1 } },
        { name: 'look', input: { at: 'a</response>b' } },
        { name: 'look', input: { at: 3 } },
      ]),
    );
    const message = await client.messages.stream(ask('Hi', stops)).finalMessage();
    expect(message).toMatchObject({ stop_reason: 'stop_sequence', stop_sequence: '</response>' });
    expect(message.content).toMatchObject([{ type: 'tool_use', input: { at: 1 } }, { type: 'tool_use' }]);
    expect(await inputsOf(client, ask('Hi', stops))).toBe('{"at":1}{"at":"a');
  });

  it('leaves thinking alone', async () => {
    const { client } = await start(() => say('<r>1</response>', { thinking: 'I end with </response>.' }));
    const message = await client.messages.create(ask('Hi', stops));
    expect(message.content).toMatchObject([{ thinking: 'I end with </response>.' }, { text: '<r>1' }]);
  });

  it('is visible to the script, as is the tool choice', async () => {
    const { client } = await start(({ request }) =>
      say(`stops: ${request.stop_sequences?.length ?? 0}, choice: ${request.tool_choice?.type ?? 'free'}`),
    );
    expect((await client.messages.create(ask('Hi'))).content).toMatchObject([{ text: 'stops: 0, choice: free' }]);
    const strict = await client.messages.create(ask('Hi', { ...stops, ...none }));
    expect(strict.content).toMatchObject([{ text: 'stops: 1, choice: none' }]);
  });
});

const format = (schema: object): object => ({ output_config: { format: { type: 'json_schema', schema } } });
const closed = (properties: object): object => ({ type: 'object', properties, additionalProperties: false });

describe('a request for a strict answer', () => {
  it.each([
    ['an unknown choice', { tool_choice: { type: 'maybe' }, tools: [look] }, 'tool_choice.type'],
    ['a name of no tool', { tool_choice: { type: 'none', name: 'look' }, tools: [look] }, 'tool_choice.none.name'],
    ['a choice without tools', { tool_choice: { type: 'none' } }, 'while providing tools'],
    ['an unknown setting', { output_config: { schema: {} } }, 'output_config.schema: Extra inputs'],
    [
      'a format with a name',
      { output_config: { format: { type: 'json_schema', name: 'x', schema: {} } } },
      'format.name',
    ],
    ['another format', { output_config: { format: { type: 'xml' } } }, "should be 'json_schema'"],
    ['an open object inside', format(closed({ a: { type: 'object', properties: {} } })), 'additionalProperties'],
    ['a least length', format(closed({ a: { type: 'string', minLength: 1 } })), "'minLength' is not supported"],
    ['a largest value', format(closed({ a: { type: 'integer', maximum: 9 } })), "'maximum' is not supported"],
    ['two items at least', format(closed({ a: { type: 'array', items: {}, minItems: 2 } })), "'minItems' values"],
  ])('with %s is refused', async (_name, change, message) => {
    const { client } = await start(() => say('ok'));
    const error = await errorOf(client.messages.create({ ...ask('Hi'), ...change }));
    expect(error).toMatchObject({ status: 400, type: 'invalid_request_error' });
    expect(error.apiMessage).toContain(message);
  });

  it('may have properties by the names of limits', async () => {
    const { client } = await start(() => say('{}'));
    const schema = closed({ minLength: { type: 'integer' }, maximum: { type: 'array', items: { type: 'string' } } });
    await client.messages.create({ ...ask('Hi'), ...format(schema) });
  });

  it('without tools reports a script that still uses one', async () => {
    const { client } = await start(() => useTool('look', {}));
    expect((await errorOf(client.messages.create(ask('Hi', none)))).apiMessage).toContain('tool_choice none');
  });
});

describe('counting', () => {
  it('returns all tokens of a call, cached or not', async () => {
    const { client } = await start(() => say('ok'));
    const { max_tokens: _, ...prompt } = ask('Hi '.repeat(100), { ...none, system: 'Be brief.' });
    const { input_tokens: counted } = await client.messages.countTokens(prompt);
    const { usage } = await client.messages.create({ ...prompt, max_tokens: 10 });
    expect(usage.input_tokens).toBe(counted);
  });

  it('refuses parameters that do not belong to it', async () => {
    const { client } = await start(() => say('ok'));
    expect((await errorOf(client.messages.countTokens(ask('Hi')))).apiMessage).toContain('max_tokens: Extra inputs');
  });
});

import { say, type ScriptedModel, startScriptedModel } from '../../../../testing/scripted-model';
import { ask, complete, tool } from './support';

const user = (content: unknown): object => ({ role: 'user', content });
const call = (id: unknown, more: object = {}): object => ({
  id,
  type: 'function',
  function: { name: 'look', arguments: '{}' },
  ...more,
});
const calls = (...list: readonly object[]): object => ({ role: 'assistant', content: null, tool_calls: list });
const result = (id: unknown, content: unknown = 'r'): object => ({ role: 'tool', tool_call_id: id, content });
const named = (name: string): object => call('a', { function: { name, arguments: '{}' } });
const written = (text: unknown): object => call('a', { function: { name: 'look', arguments: text } });
const jsonSchema = (schema: object, more: object = {}): object => ({
  response_format: { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true, ...more } },
});
const closed = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false };

const refused: readonly [string, object, string][] = [
  ['no messages', { messages: [] }, "Invalid 'messages': empty array"],
  ['messages that are not a list', { messages: 'Hi' }, "Invalid type for 'messages'"],
  ['a message that is not an object', { messages: ['Hi'] }, "Invalid type for 'messages[0]'"],
  ['an unknown role', { messages: [{ role: 'function', content: 'x' }] }, "Invalid value: 'function'"],
  ['a role that is not a text', { messages: [{ role: 1, content: 'x' }] }, "'messages[0].role': expected a string"],
  ['no role', { messages: [{ content: 'x' }] }, "Missing required parameter: 'messages[0].role'"],
  ['an assistant last', { messages: [user('Hi'), { role: 'assistant', content: 'The' }] }, 'must not have the role'],
  ['empty content', { messages: [user('')] }, 'it must contain text'],
  ['blank content', { messages: [user([{ type: 'text', text: ' \n' }])] }, 'it must contain text'],
  ['no parts', { messages: [user([])] }, 'empty array'],
  ['no content', { messages: [{ role: 'user' }] }, "Missing required parameter: 'messages[0].content'"],
  ['null as content', { messages: [user(null)] }, 'but got null instead'],
  [
    'an assistant without anything',
    { messages: [user('Hi'), { role: 'assistant', content: null }, user('x')] },
    'null',
  ],
  ['an unknown part', { messages: [user([{ type: 'audio' }])] }, "Invalid value: 'audio'"],
  ['an unknown field of a message', { messages: [{ ...user('Hi'), cache: 1 }] }, 'messages[0].cache'],
  ['an unknown field', { maxTokens: 5 }, 'Unrecognized request argument supplied: maxTokens'],
  [
    'a call without result',
    { messages: [user('Hi'), calls(call('a')), user('Go on')] },
    'did not have response messages: a',
  ],
  ['a call at the end', { messages: [user('Hi'), calls(call('a'))] }, 'did not have response messages: a'],
  [
    'one of two calls without result',
    { messages: [user('Hi'), calls(call('a'), call('b')), result('a'), user('x')] },
    'did not have response messages: b',
  ],
  ['a result without call', { messages: [user('Hi'), result('a')] }, "messages with role 'tool' must be a response"],
  ['a result twice', { messages: [user('Hi'), calls(call('a')), result('a'), result('a')] }, "role 'tool' must be a"],
  ['a result too late', { messages: [user('Hi'), calls(call('a')), user('x'), result('a')] }, 'did not have response'],
  ['a result without id', { messages: [user('Hi'), calls(call('a')), { role: 'tool', content: 'x' }] }, 'tool_call_id'],
  ['an empty result', { messages: [user('Hi'), calls(call('a')), result('a', '')] }, 'it must contain text'],
  [
    'the same id twice',
    { messages: [user('Hi'), calls(call('a'), call('a')), result('a')] },
    "Duplicate value for 'tool_call_id'",
  ],
  [
    'an id of an earlier call',
    { messages: [user('Hi'), calls(call('a')), result('a'), calls(call('a')), result('a')] },
    "Duplicate value for 'tool_call_id'",
  ],
  ['an empty id', { messages: [user('Hi'), calls(call('')), result('')] }, 'empty string'],
  ['an empty list of calls', { messages: [user('Hi'), calls(), user('x')] }, 'empty array'],
  ['a call of no type', { messages: [user('Hi'), calls(call('a', { type: 'x' })), result('a')] }, "Invalid value: 'x'"],
  ['a bad name', { messages: [user('Hi'), calls(named('look up')), result('a')] }, 'does not match pattern'],
  ['a name that is too long', { messages: [user('Hi'), calls(named('x'.repeat(65))), result('a')] }, 'pattern'],
  ['arguments as an object', { messages: [user('Hi'), calls(written({})), result('a')] }, 'expected a string'],
  ['half of the arguments', { messages: [user('Hi'), calls(written('{"a"')), result('a')] }, 'JSON text of an object'],
  ['a list as arguments', { messages: [user('Hi'), calls(written('[]')), result('a')] }, 'JSON text of an object'],
  ['no tools in the list', { tools: [] }, "Invalid 'tools': empty array"],
  ['a bad name of a tool', { tools: [tool('look up')] }, 'does not match pattern'],
  ['a tool twice', { tools: [tool('look'), tool('look')] }, 'Duplicate function name: look'],
  ['a tool without a type', { tools: [{ function: { name: 'look' } }] }, "Supported values are: 'function'"],
  [
    'a schema that is no object',
    { tools: [{ type: 'function', function: { name: 'look', parameters: { type: 'array' } } }] },
    'Invalid schema for function',
  ],
  ['a choice without tools', { tool_choice: 'none' }, "only allowed when 'tools' are specified"],
  ['an unknown choice', { tools: [tool('look')], tool_choice: 'any' }, "Invalid value: 'any'"],
  [
    'a choice of another tool',
    { tools: [tool('look')], tool_choice: { type: 'function', function: { name: 'see' } } },
    "'see' not found",
  ],
  ['two limits', { max_tokens: 5, max_completion_tokens: 5 }, 'at the same time'],
  ['no tokens', { max_tokens: 0 }, 'below minimum value'],
  ['too many tokens', { max_tokens: 1_000_000 }, 'max_tokens is too large'],
  ['half a token', { max_tokens: 1.5 }, 'expected an integer'],
  ['a temperature out of range', { temperature: 3 }, "Invalid 'temperature'"],
  ['several answers', { n: 2 }, "Invalid 'n'"],
  ['too many stop sequences', { stop: ['a', 'b', 'c', 'd', 'e'] }, 'array too long'],
  ['an empty stop sequence', { stop: [''] }, "Invalid 'stop'"],
  ['a number as stop sequence', { stop: [1] }, "'stop[0]': expected a string"],
  ['stream as text', { stream: 'yes' }, "Invalid type for 'stream'"],
  ['stream options without a stream', { stream_options: { include_usage: true } }, "when 'stream' is enabled"],
  ['an unknown format', { response_format: { type: 'xml' } }, "Invalid value: 'xml'"],
  ['JSON without saying so', { response_format: { type: 'json_object' } }, "must contain the word 'json'"],
  ['a format without schema', { response_format: { type: 'json_schema', json_schema: { name: 'a' } } }, '.schema'],
  ['an open schema', jsonSchema({ ...closed, additionalProperties: undefined }), 'additionalProperties'],
  ['an optional property', jsonSchema({ ...closed, required: [] }), 'including every key in properties'],
  ['a limit of length', jsonSchema({ ...closed, properties: { a: { type: 'string', minLength: 1 } } }), 'minLength'],
  ['an unknown model', { model: 'gpt-none' }, "The model 'gpt-none' does not exist"],
];

describe('a chat request with', () => {
  let model: ScriptedModel;
  beforeAll(async () => {
    model = await startScriptedModel(() => say('ok'));
  });
  afterAll(() => model.close());

  test.each(refused)('%s is refused', async (_, more, message) => {
    const { status, body } = await complete(model, ask('Hi', more));
    expect(body.error.message).toContain(message);
    expect(status).toBe('model' in more ? 404 : 400);
    expect(body.error.type).toBe('invalid_request_error');
    expect(model.rejected.at(-1)).toMatchObject({ path: '/v1/chat/completions', status });
  });

  test.each<[string, object]>([
    ['all usual parameters', { temperature: 0.5, max_completion_tokens: 10, seed: 1, user: 'u', stop: 'x' }],
    ['a developer message', { messages: [{ role: 'developer', content: 'd' }, user('Hi')] }],
    ['parts as content', { messages: [user([{ type: 'text', text: 'Hi' }])] }],
    ['answered calls', { messages: [user('Hi'), calls(call('a'), call('b')), result('b'), result('a'), user('x')] }],
    [
      'what the model thought',
      { messages: [user('Hi'), { role: 'assistant', content: 'x', reasoning_content: 'y' }, user('z')] },
    ],
    ['a strict schema', jsonSchema(closed)],
    [
      'JSON when the prompt mentions it',
      { messages: [user('Answer as JSON')], response_format: { type: 'json_object' } },
    ],
  ])('%s is accepted', async (_, more) => {
    const { status, body } = await complete(model, ask('Hi', more));
    expect(body.error).toBeUndefined();
    expect(status).toBe(200);
  });

  test('a prompt longer than the window has a code that says so', async () => {
    const { status, body } = await complete(model, ask('x'.repeat(4_100_000)));
    expect({ status, code: body.error.code }).toEqual({ status: 400, code: 'context_length_exceeded' });
  });

  test('a body that is not JSON is refused', async () => {
    const response = await fetch(`${model.chatBaseUrl}/chat/completions`, { method: 'POST', body: '{' });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error' } });
  });
});

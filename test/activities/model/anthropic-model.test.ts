import { createAnthropicModel } from '../../../activities/model/anthropic-model';
import { structuredOutput } from '../../../activities/model/anthropic-request';
import type { JsonSchema } from '../../../domain/prompt/output';
import { say } from '../../../testing/scripted-model';
import { closeModels, modelPlaying, planFormat, requestOf, signal, writeFile } from './support';

afterEach(closeModels);

const text: JsonSchema = { type: 'string' };
const failureOf = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);

describe('a request to the model', () => {
  test('stops at the end of an answer in XML', async () => {
    const { model, server } = await modelPlaying(() => say('<response><plan><goal>g</goal></plan></response> Bye!'));
    const answer = await model.reply(requestOf({ output: planFormat }), signal);
    expect(server.calls[0]?.request.stop_sequences).toEqual(['</response>']);
    expect(server.calls[0]?.request.output_config).toBeUndefined();
    expect(answer).toMatchObject({
      stopReason: 'stopSequence',
      content: [{ type: 'text', text: '<response><plan><goal>g</goal></plan>' }],
    });
  });

  test('contains the JSON schema of the answer in the format that the provider accepts', async () => {
    const { model, server } = await modelPlaying(() => say('{"verdict":"pass"}'));
    const json: JsonSchema = {
      type: 'object',
      properties: {
        verdict: { type: 'string', minLength: 1, description: 'pass or fail' },
        lines: { type: 'array', items: text, maxItems: 3 },
      },
      required: ['verdict'],
    };
    await model.reply(requestOf({ output: { json } }), signal);
    expect(server.rejected).toEqual([]);
    expect(server.calls[0]?.request.stop_sequences).toBeUndefined();
    expect(server.calls[0]?.request.output_config?.format).toMatchObject({
      type: 'json_schema',
      schema: {
        type: 'object',
        additionalProperties: false,
        required: ['verdict'],
        properties: { verdict: { description: expect.stringMatching(/^pass or fail\s+\{minLength: 1\}$/) as unknown } },
      },
    });
  });

  test('asks for free text and allows all tools by default', async () => {
    const { model, server } = await modelPlaying(() => say('ok'));
    await model.reply(requestOf({ tools: [writeFile] }), signal);
    const request = server.calls[0]?.request ?? {};
    expect(Object.keys(request).sort()).toEqual(['max_tokens', 'messages', 'model', 'stream', 'system', 'tools']);
  });

  test('may forbid tool calls, but still lists the tools', async () => {
    const { model, server } = await modelPlaying(() => say('ok'));
    await model.reply(requestOf({ tools: [writeFile], toolChoice: 'none' }), signal);
    expect(server.calls[0]?.request).toMatchObject({ tool_choice: { type: 'none' }, tools: [{ name: 'write_file' }] });
    await model.reply(requestOf({ toolChoice: 'none' }), signal);
    expect(server.calls[1]?.request.tool_choice).toBeUndefined();
  });
});

describe('a schema that the provider cannot express', () => {
  const manyOptional = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`p${index}`, text]));
  const cases: readonly [string, JsonSchema][] = [
    ['a list at the top', { type: 'array', items: text }],
    ['an object of anything', { type: 'object' }],
    ['further properties', { type: 'object', properties: { a: text }, additionalProperties: true }],
    ['further properties inside', { type: 'object', properties: { a: { type: 'object' } } }],
    ['a list of anything', { type: 'object', properties: { a: { type: 'array' } } }],
    ['too many properties that may be left out', { type: 'object', properties: manyOptional }],
  ];

  test.each(cases)('with %s is only described in the prompt', async (_, json) => {
    expect(structuredOutput(json)).toBeUndefined();
    const { model, server } = await modelPlaying(() => say('[]'));
    await model.reply(requestOf({ output: { json } }), signal);
    expect(server.calls[0]?.request.output_config).toBeUndefined();
  });
});

describe('counting tokens', () => {
  test('returns the input tokens of the request', async () => {
    const { model } = await modelPlaying(() => say('ok'));
    const json: JsonSchema = { type: 'object', properties: { a: text } };
    const request = requestOf({ tools: [writeFile], toolChoice: 'none', output: { json } });
    const counted = await model.countTokens(request, signal);
    const { usage } = await model.reply(request, signal);
    expect(usage.input + usage.cacheRead + usage.cacheWrite).toBe(counted);
    expect(await model.countTokens({ ...request, output: planFormat }, signal)).toBeGreaterThan(0);
  });

  test('fails with the same failure types as a reply', async () => {
    const { model, server } = await modelPlaying(() => say('ok'));
    const unknown = { ...requestOf().settings, name: 'claude-none' };
    expect(await failureOf(model.countTokens(requestOf({ settings: unknown }), signal))).toMatchObject({
      type: 'Model.NotFound',
      nonRetryable: true,
    });
    await server.close();
    expect(await failureOf(model.countTokens(requestOf(), signal))).toMatchObject({ type: 'Model.Unreachable' });
    const keyless = createAnthropicModel({ apiKey: undefined });
    expect(await failureOf(keyless.countTokens(requestOf(), signal))).toMatchObject({ type: 'Model.Unauthorized' });
  });
});

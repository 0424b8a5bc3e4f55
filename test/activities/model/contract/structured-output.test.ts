import { isNative } from '../../../../activities/dependencies';
import { createOpenAiCompatibleModel } from '../../../../activities/model/providers/openai-compatible-model';
import type { OutputFormat } from '../../../../domain/prompt/output';
import { say, type ScriptedModel, startScriptedModel } from '../../../../testing/scripted-model';
import { adapters, requestTo, signal } from './adapters';

const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } as const;
const object: OutputFormat = {
  json: { ...schema, required: ['n'], additionalProperties: false },
};
const list: OutputFormat = { json: { type: 'array', items: { type: 'string' } } };

describe('structured output', () => {
  let server: ScriptedModel;
  beforeAll(async () => {
    server = await startScriptedModel(() => say('{"n":1}'));
  });
  afterAll(async () => {
    expect(server.rejected).toEqual([]);
    await server.close();
  });

  test.each(adapters)('is requested from $name if its adapter says that it can, and only then', async (adapter) => {
    const port = adapter.create(server);
    for (const output of [object, list]) {
      const answer = await port.reply(requestTo(adapter.model, { output }), signal);
      expect(answer).toMatchObject({ content: [{ type: 'text', text: '{"n":1}' }], stopReason: 'done' });
      const call = server.calls.at(-1);
      const sent = call?.chat === undefined ? call?.request.output_config : call.chat.response_format;
      expect(sent !== undefined).toBe(isNative(port, output, adapter.model));
    }
    expect(isNative(port, object, adapter.model)).toBe(adapter.provider === 'anthropic');
  });

  test('is requested from a server that speaks Chat Completions if its settings say that it can', async () => {
    const { chatBaseUrl: baseUrl } = server;
    const port = createOpenAiCompatibleModel({ baseUrl, apiKey: 'scripted', supports: { structuredOutput: true } });
    expect(isNative(port, object, 'scripted')).toBe(true);
    await port.reply(requestTo('scripted', { output: object }), signal);
    expect(server.calls.at(-1)?.chat?.response_format).toMatchObject({ type: 'json_schema', json_schema: { schema } });
  });
});

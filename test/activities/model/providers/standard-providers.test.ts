import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ModelPort } from '../../../../activities/dependencies';
import { createModelRouter } from '../../../../activities/model/model-router';
import { chatServers, providerPackages } from '../../../../activities/model/providers/provider-table';
import { standardProviders } from '../../../../activities/model/providers/standard-providers';
import { parseModelName } from '../../../../domain/model';
import { say, type ScriptedModel, startScriptedModel } from '../../../../testing/scripted-model';
import { failureOf, requestTo, signal } from '../contract/adapters';

let folder: string;
let server: ScriptedModel;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'baton-providers-'));
  server = await startScriptedModel(() => say('Hello.'), { apiKey: 'sk-right' });
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

function routerFor(env: Readonly<Record<string, string>>): ModelPort {
  return createModelRouter(standardProviders({ env, folder }));
}

/** Installs a package that only has what the loader needs. */
async function install(name: string, files: Readonly<Record<string, string>>): Promise<void> {
  const root = join(folder, 'node_modules', name);
  await mkdir(root, { recursive: true });
  for (const [file, content] of Object.entries(files)) await writeFile(join(root, file), content);
}

/** A model that answers with what its provider was called with. */
const stub = (factory: string, version = 'v3'): string => `
exports.${factory} = (options) => (modelId) => ({
  specificationVersion: '${version}',
  provider: 'stub.chat',
  modelId,
  async doStream() {
    const parts = [
      { type: 'text-start', id: '1' },
      { type: 'text-delta', id: '1', delta: modelId + ' ' + Object.keys(options).join() },
      { type: 'finish', finishReason: { unified: 'stop' }, usage: { inputTokens: { total: 5 }, outputTokens: { total: 1 } } },
    ];
    return { stream: new ReadableStream({ start(c) { for (const part of parts) c.enqueue(part); c.close(); } }) };
  },
});`;

describe('a model by its name', () => {
  test('whose provider nobody knows is refused with the names of those that are known', async () => {
    const refused = await failureOf(routerFor({}).check!('acme:large'));
    expect(refused).toMatchObject({
      type: 'Model.Unavailable',
      nonRetryable: true,
      message: expect.stringMatching(/no provider "acme".*azure, bedrock,.*google,.*ollama, openai/) as unknown,
    });
    expect(await failureOf(routerFor({}).reply(requestTo('acme:large'), signal))).toMatchObject({
      type: 'Model.Unavailable',
    });
  });

  test.each(Object.entries(providerPackages))(
    'with the prefix %s says which package to install, in a command that can be copied',
    async (prefix, { name, major }) => {
      expect(await failureOf(routerFor({}).check!(`${prefix}:any`))).toMatchObject({
        type: 'Model.Unavailable',
        nonRetryable: true,
        message: expect.stringContaining(`npm install ${name}@${major}`) as unknown,
      });
    },
  );

  test('goes to OpenAI only with a key', async () => {
    expect(await failureOf(routerFor({}).check!('openai:gpt-5'))).toMatchObject({
      type: 'Model.Unauthorized',
      message: expect.stringMatching(/OPENAI_API_KEY.*BATON_OPENAI_BASE_URL/) as unknown,
    });
    await routerFor({ OPENAI_API_KEY: 'sk-x' }).check!('openai:gpt-5');
  });

  test('goes to another server with a base URL, and the key is sent if there is one', async () => {
    const { chatBaseUrl: BATON_OPENAI_BASE_URL } = server;
    const open = routerFor({ BATON_OPENAI_BASE_URL, OPENAI_API_KEY: 'sk-right' });
    expect(await open.reply(requestTo('openai:scripted'), signal)).toMatchObject({ content: [{ text: 'Hello.' }] });
    expect(server.calls.at(-1)?.chat?.model).toBe('scripted');
    const keyless = routerFor({ BATON_OPENAI_BASE_URL });
    await keyless.check!('openai:scripted');
    expect(await failureOf(keyless.reply(requestTo('openai:scripted'), signal))).toMatchObject({
      type: 'Model.Unauthorized',
      message: expect.stringContaining('OPENAI_API_KEY') as unknown,
    });
  });

  test('goes to a local Ollama without a key, and the rest of the name may contain colons', async () => {
    const local = await startScriptedModel(() => say('Local.'), {
      models: [{ id: 'llama3:8b', maxInputTokens: 10_000, maxTokens: 8_000 }],
    });
    const port = routerFor({ OLLAMA_BASE_URL: local.baseUrl });
    expect(await port.reply(requestTo('ollama:llama3:8b'), signal)).toMatchObject({ content: [{ text: 'Local.' }] });
    await local.close();
    expect(chatServers['ollama']?.baseUrl).toBe('http://127.0.0.1:11434/v1');
  });

  test('reports what its provider cannot do', () => {
    const port = routerFor({});
    expect(port.capabilities?.('ollama:llama3')).toEqual({
      countsTokens: false,
      structuredOutput: false,
      toolChoice: true,
      stopSequences: true,
    });
    expect(port.capabilities?.('openai:gpt-5')).toMatchObject({ structuredOutput: true });
  });

  test('has a prefix that can be written before a model', () => {
    for (const prefix of [...Object.keys(chatServers), ...Object.keys(providerPackages)]) {
      expect(parseModelName(`${prefix}:m`)).toEqual({ provider: prefix, model: 'm' });
    }
  });
});

describe('a package of a provider', () => {
  test('is loaded from the project, and receives a fetch with our limits', async () => {
    await install('@ai-sdk/mistral', {
      'package.json': '{"name":"@ai-sdk/mistral","main":"index.js"}',
      'index.js': stub('createMistral'),
    });
    const port = routerFor({ MISTRAL_API_KEY: 'k' });
    await port.check!('mistral:large');
    const answer = await port.reply(requestTo('mistral:large'), signal);
    expect(answer).toMatchObject({ content: [{ type: 'text', text: 'large fetch' }], usage: { input: 5, output: 1 } });
  });

  test('is loaded also if its exports name only what CommonJS may require', async () => {
    await install('@ai-sdk/groq', {
      'package.json': '{"name":"@ai-sdk/groq","exports":{".":{"require":"./main.cjs"}}}',
      'main.cjs': stub('createGroq', 'v4'),
    });
    await routerFor({ GROQ_API_KEY: 'k' }).check!('groq:any');
  });

  test('of another version of the interface is refused', async () => {
    await install('@ai-sdk/cohere', {
      'package.json': '{"name":"@ai-sdk/cohere","main":"index.js"}',
      'index.js': stub('createCohere', 'v2'),
    });
    expect(await failureOf(routerFor({ COHERE_API_KEY: 'k' }).check!('cohere:any'))).toMatchObject({
      type: 'Model.Unavailable',
      message: expect.stringContaining('version "v2"') as unknown,
    });
  });

  test('without its credentials says which variables to set', async () => {
    await install('@ai-sdk/amazon-bedrock', {
      'package.json': '{"name":"@ai-sdk/amazon-bedrock","main":"index.js"}',
      'index.js': stub('createAmazonBedrock'),
    });
    expect(await failureOf(routerFor({ AWS_REGION: 'eu-central-1' }).check!('bedrock:claude'))).toMatchObject({
      type: 'Model.Unauthorized',
      message: expect.stringContaining('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY and AWS_REGION') as unknown,
    });
    const env = { AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 's' };
    await routerFor(env).check!('bedrock:claude');
  });

  test.each([
    [
      'that fails to load',
      'xai',
      'throw new Error("half installed")',
      /cannot be loaded \(half installed\).*npm install/,
    ],
    ['without the function that Baton knows', 'deepseek', 'exports.other = 1', /has no "createDeepSeek".*npm install/],
  ])('%s says so, and how to install it again', async (_, prefix, code, message) => {
    const name = `@ai-sdk/${prefix}`;
    await install(name, { 'package.json': JSON.stringify({ name, main: 'index.js' }), 'index.js': code });
    const port = routerFor({ XAI_API_KEY: 'k', DEEPSEEK_API_KEY: 'k' });
    expect(await failureOf(port.check!(`${prefix}:any`))).toMatchObject({
      type: 'Model.Unavailable',
      message: expect.stringMatching(message) as unknown,
    });
  });
});

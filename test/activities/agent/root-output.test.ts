import { createAnthropicModel } from '../../../activities/model/anthropic-model';
import { createModelRouter } from '../../../activities/model/model-router';
import { describeOutput } from '../../../activities/agent/describe-output';
import { openAgent } from '../../../activities/agent/open-agent';
import { definePrompt, renderPrompt } from '../../../domain/prompt';
import { type OutputFormat, outputFormatSchema } from '../../../domain/prompt/output';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { getJson, putJson } from '../../../store/blobs';
import { openFileStore } from '../../../store/file/open-file-store';
import { putRenderedPrompt } from '../../../store/prompts';
import { TranscriptCache } from '../../../store/transcript/cache';
import { Transcripts } from '../../../store/transcript/transcripts';

const model = createAnthropicModel({ apiKey: 'none' });
const object: OutputFormat = {
  json: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'], additionalProperties: false },
};

test('a root prompt describes the format if a model that may take over can’t enforce it', () => {
  const { definition } = definePrompt({
    ns: 'acme',
    key: 'root',
    description: 'd',
    parameters: z.object({}),
    sections: [{ key: 'task', title: 'Task', template: 'Count.' }],
    output: object,
  });
  const port = createModelRouter({ anthropic: model, plain: { ...model, nativeStructuredOutput: false } });
  const name = 'claude-sonnet-5-5';
  expect(describeOutput({ port, name, fallback: ['claude-haiku-5-5'] }, definition)).toBe(definition);
  const described = renderPrompt(describeOutput({ port, name, fallback: ['plain:one'] }, definition));
  expect(described.markdown).toContain('## Response Format');
});

describe('a root prompt with an output format', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'baton-root-output-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test.each<[string, OutputFormat, boolean]>([
    ['is left alone if the provider enforces the format', object, false],
    ['describes JSON that the provider can’t enforce', { json: { type: 'array', items: { type: 'string' } } }, true],
    ['describes XML', { xml: { root: 'plan', fields: [{ name: 'goal' }] } }, true],
  ])('%s, and opens an agent with that format', async (_, output, described) => {
    const store = await openFileStore(join(folder, 'store'));
    const runStore = store.forRun('r1');
    const { definition: own } = definePrompt({
      ns: 'acme',
      key: 'root',
      description: 'd',
      parameters: z.object({}),
      sections: [{ key: 'task', title: 'Task', template: `Count ${JSON.stringify(output).length}.` }],
      output,
    });
    const definition = describeOutput({ port: model, name: 'claude-sonnet-5-5' }, own);
    const rendered = renderPrompt(definition);
    expect(rendered.markdown.includes('## Response Format')).toBe(described);
    const transcriptCache = new TranscriptCache();
    const opened = await openAgent({
      runStore,
      storeId: store.id,
      transcriptCache,
      searchAttributes: false,
      record: await putRenderedPrompt(runStore, rendered, { definition }),
      tools: { shown: [], deferred: [] },
      pinned: { prompts: await putJson(runStore, []) },
      model: { name: 'claude-sonnet-5-5', maxTokens: 1_000, window: 200_000 },
    });
    expect(await getJson(runStore, opened.output!, outputFormatSchema, 'test')).toEqual(output);
    const { opening } = await new Transcripts(runStore, transcriptCache).load(opened.opening);
    expect(opening.output).toEqual(output);
  });
});

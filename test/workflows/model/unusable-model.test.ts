import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runIdOf } from '../../../domain/kernel';
import { readStoredRoot } from '../../../store/run-record';
import { say, scriptByTurn, useTool } from '../../../testing/scripted-model';
import { createAnthropicModel, createOpenAiCompatibleModel, standardProviders } from '../../../worker';
import { skillOf } from '../../domain/skill/samples';
import { failureOf } from '../../support/failures';
import { Harness } from '../../support/harness';
import { projectRoot } from '../../support/paths';
import { playRelay, relayNamed } from '../../support/relays';
import { until } from '../../support/until';

const input = {
  type: 'object' as const,
  properties: { goal: { type: 'string' as const, title: 'User Goal' } },
  required: ['goal'],
};
const seer = skillOf({ name: 'seer', input, model: { name: 'google:gemini-x', window: 100_000 } });
const plain = skillOf({ name: 'plain', input });

describe('a model that the worker cannot use', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'), {
      skills: [seer, plain],
      providers: {
        ...standardProviders({ env: {}, folder: tmpdir() }),
        keyless: createAnthropicModel({ apiKey: undefined }),
        bare: createOpenAiCompatibleModel({
          baseUrl: 'http://127.0.0.1:1/v1',
          supports: { stopSequences: false, toolChoice: false },
        }),
        openai: createOpenAiCompatibleModel({ baseUrl: 'http://127.0.0.1:1/v1' }),
      },
    });
  });
  afterAll(() => harness.close());

  const model = (name: string): { name: string; maxTokens: number; window: number } => ({
    name,
    maxTokens: 1_000,
    window: 100_000,
  });

  test.each([
    ['of an unknown provider', 'acme:large', 'Model.Unavailable', 'no provider "acme"'],
    ['whose package is not installed', 'google:gemini-x', 'Model.Unavailable', 'npm install @ai-sdk/google@3'],
    ['without a key', 'openrouter:any', 'Model.Unauthorized', 'Set OPENROUTER_API_KEY'],
    ['of Anthropic without a key', 'keyless:claude', 'Model.Unauthorized', 'ANTHROPIC_API_KEY'],
  ])('%s fails the run when it starts, and nothing is called', async (_, name, type, message) => {
    const before = harness.model.calls.length;
    const handle = await harness.startRun({ model: model(name) });
    const failure = await failureOf(handle);
    expect({ type: failure.type, message: failure.message }).toEqual({
      type,
      message: expect.stringContaining(message) as unknown,
    });
    expect(harness.model.calls).toHaveLength(before);
    // Only the attempt to open the run: no model call was scheduled.
    const { events = [] } = await handle.fetchHistory();
    const scheduled = events?.flatMap(
      ({ activityTaskScheduledEventAttributes: activity }) => activity?.activityType?.name ?? [],
    );
    expect(scheduled).toEqual(['openRun']);
  });

  test('of a skill fails a run that is started with it', async () => {
    const handle = await harness.startRun({ skill: { name: 'seer', input: { goal: 'See.' } } });
    expect((await failureOf(handle)).message).toContain('npm install @ai-sdk/google@3');
  });

  test('of a step fails a relay when it starts, not when the step is reached', async () => {
    const before = harness.model.calls.length;
    const goal = { goal: '{{goal}}' };
    const relay = relayNamed('two', [
      { name: 'first', skill: 'plain', input: goal },
      { name: 'second', skill: 'seer', input: goal },
    ]);
    const failure = await failureOf(await playRelay(harness, relay));
    expect(failure.type).toBe('Model.Unavailable');
    expect(harness.model.calls).toHaveLength(before);
  });

  test('of a skill that an agent dispatches is an error that the agent can act on', async () => {
    let told = '';
    harness.model.setScript(
      scriptByTurn(useTool('dispatch_skill', { skill: 'seer', input: { goal: 'See.' } }), ({ toolResults }) => {
        told = toolResults[0]?.text ?? '';
        return say('I do it myself.');
      }),
    );
    const handle = await harness.startRun();
    expect(await handle.result()).toMatchObject({ answer: { text: 'I do it myself.' } });
    expect(told).toMatch(/Model\.Unavailable.*npm install @ai-sdk\/google@3.*do the work yourself/s);
    const root = await readStoredRoot(harness.store.forRun(runIdOf(handle.workflowId) ?? ''));
    expect(root?.root.modelNotes).toEqual([expect.stringMatching(/^google:gemini-x \(skill seer\): cannot be used/)]);
  });

  test('what a provider cannot do is recorded when the run starts', async () => {
    const handle = await harness.startRun({ model: model('bare:any') });
    const read = async (): Promise<readonly string[] | undefined> =>
      (await readStoredRoot(harness.store.forRun(runIdOf(handle.workflowId) ?? '')))?.root.modelNotes;
    const notes = await until(read);
    expect(notes.slice(0, 4)).toEqual([
      'bare:any: no token counting (limits use estimates)',
      'bare:any: no structured output (the prompt describes the format, and Baton checks it)',
      'bare:any: no tool choice (Baton refuses calls that are not wanted)',
      'bare:any: no stop sequences (Baton checks where an answer ends)',
    ]);
    await handle.terminate('seen enough');
  });
});

test('a package of a provider that is an ES module is loaded too', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'baton-esm-'));
  const root = join(folder, 'node_modules', 'esm-only');
  await mkdir(root, { recursive: true });
  await writeFile(
    join(root, 'package.json'),
    '{"name":"esm-only","type":"module","exports":{".":{"import":{"default":"./main.js"}}}}',
  );
  await writeFile(join(root, 'main.js'), 'export const createEsm = () => undefined;');
  // Jest has its own `import`, so this needs the build and a process of its own.
  const module = join(projectRoot, 'dist/activities/model/providers/load-package.js');
  const code = `require(${JSON.stringify(module)}).loadPackage('esm-only', ${JSON.stringify(folder)}).then((loaded) => console.log(Object.keys(loaded).join()))`;
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', code]);
  expect(stdout.trim()).toBe('createEsm');
  await rm(folder, { recursive: true });
});

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createBaton } from '../../../client';
import { noticeAbout } from '../../../domain/budget';
import { fail, refuse, say, type Script, type ScriptedCall, useTool, useTools } from '../../../testing/scripted-model';
import { batch } from '../../support/batches';
import { depthOf, dispatch } from '../../support/delegation-script';
import { expectScreen } from '../../support/doc-screens';
import { Harness, testAddress } from '../../support/harness';
import { until } from '../../support/until';
import { batonInProcess } from '../support/in-process';
import { startBaton } from '../support/process';

const files = ['README.md', 'package.json', 'LICENSE.txt'];

/** Three reviewers, of whom one has no valid key. */
const review: Script = (call) => {
  if (depthOf(call) === 0)
    return call.turn === 0
      ? useTool('dispatch_subagents', batch(files.map((file) => `Review ${file}.`)))
      : say('All are fine.');
  const file = files.find((name) => call.systemText.includes(`Review ${name}.`)) ?? '';
  if (file === 'README.md') return fail(401, { message: 'invalid x-api-key' });
  return call.turn === 0 ? useTool('read_file', { path: file }) : say(`${file} is fine.`);
};

/** Two delegations at once, one that fails, and then one with artifacts. */
const delegate: Script = (call) => {
  if (depthOf(call) === 0) {
    const both = batch(['Review README.md.', 'Review the secrets.']);
    if (call.turn === 0) return useTool('dispatch_subagents', both);
    return call.turn === 1
      ? useTool('dispatch_subagent', dispatch({ instructions: 'Look at the login.' }))
      : say('Done.');
  }
  if (call.systemText.includes('Review the secrets.')) return refuse();
  if (call.systemText.includes('Review README.md.')) return say('Reviewed README.md.');
  return (
    [
      useTool('read_file', { path: 'src/auth.ts' }),
      useTools([
        { name: 'write_artifact', input: { name: 'report.md', content: 'Plain tokens.' } },
        { name: 'write_file', input: { path: 'src/auth.ts', content: 'export const token = null;\n' } },
      ]),
    ][call.turn] ?? say('Auth uses plain tokens. The details are in report.md.')
  );
};

/** One reader, who looks for a file that is not there. */
const read: Script = (call) => {
  if (depthOf(call) === 0)
    return call.turn === 0 ? useTool('dispatch_subagents', batch(['Read the tests.'])) : say('Two tests are skipped.');
  return call.turn === 0
    ? useTools([
        { name: 'read_file', input: { path: 'test/b.ts' } },
        { name: 'add_note', input: { text: 'Two tests are skipped' } },
      ])
    : say('Two tests are skipped.');
};

const lookAround: Script = ({ turn }) =>
  [
    useTool('list_files', { path: '.' }, { text: 'I will look around first.' }),
    useTool('read_file', { path: 'README.md' }, { text: 'Next I read README.md.' }),
  ][turn] ?? say('It is a small project.');

describe('screens of the docs', () => {
  let harness: Harness;
  let root: string;
  const asked: ScriptedCall[] = [];
  const env = (): Record<string, string> => ({ BATON_STORE_DIR: join(harness.folder, 'store') });
  const baton = async (...args: readonly string[]): Promise<string> =>
    (await batonInProcess({ client: harness.client, folder: harness.folder, env: env() }, args)).stdout;
  const start = (script: Script, runId: string, goal: string, onFailure: 'hold' | 'report' = 'report') => {
    harness.model.setScript((call) => {
      asked.push(call);
      return script(call);
    });
    return createBaton(harness.client, harness).startRun({ runId, goal, onFailure, workspace: { root } });
  };

  beforeAll(async () => {
    harness = await Harness.start(lookAround, { replayed: false });
    root = join(harness.folder, 'project');
    await mkdir(join(root, 'src'), { recursive: true });
    await writeFile(join(root, 'README.md'), '# Proj\nhello\n');
    await writeFile(join(root, 'package.json'), '{}\n');
    await writeFile(join(root, 'LICENSE.txt'), 'MIT\n');
    await writeFile(join(root, 'src', 'auth.ts'), 'export const token = process.env.TOKEN;\n');
  });
  afterAll(() => harness.close());

  test('a run that waits for a person, in list and tree', async () => {
    const run = await start(review, 'review-7', 'Review it', 'hold');
    const states = async (): Promise<string[]> => (await run.tree()).children.map(({ status }) => status);
    const ended = ['completed', 'completed', 'needs operator'];
    await until(async () => ((await states()).sort().join() === ended.join() ? true : undefined));
    const list = (
      await until(async () => {
        const text = await baton('list', '-n', '50');
        return text.includes('! baton why review-7') ? text : undefined;
      })
    ).split('\n');
    const at = list.findIndex((line) => line.startsWith('review-7'));
    const tree = await baton('tree', 'review-7');
    const screen = ['$ baton list', list[0], ...list.slice(at, at + 2), '', '$ baton tree review-7', tree].join('\n');
    await expectScreen('operators.md', 'waiting', screen, { anyOrder: true });
    await run.cancel();
  });

  test('the events of a run', async () => {
    const run = await start(read, 'tests-1', 'Look at the tests');
    await run.result();
    const lines = (await baton('tail', 'tests-1')).split('\n');
    const from = lines.findIndex((line) => line.includes('agent started'));
    const to = lines.findIndex((line) => line.includes('noteAdded'));
    const screen = ['$ baton tail tests-1', ...lines.slice(from, to + 1)].join('\n');
    await expectScreen('events.md', 'tail', screen, { anyOrder: true });
  });

  test('a transcript', async () => {
    const run = await start(lookAround, 'look-1', 'Look around');
    await run.result();
    const text = await baton('transcript', 'look-1');
    const end = text.indexOf('\nturn 3');
    await expectScreen('transcripts.md', 'transcript', `$ baton transcript look-1\n${text.slice(0, end).trimEnd()}\n…`);
  });

  test('what delegations return to a model', async () => {
    const before = asked.length;
    const run = await start(delegate, 'login-1', 'Look at the login');
    await run.result();
    const results = asked
      .slice(before)
      .filter((call) => depthOf(call) === 0)
      .flatMap(({ toolResults }) => toolResults.map(({ text }) => text));
    await expectScreen('delegation.md', 'results', results.find((text) => text.includes('2 delegations')) ?? '');
    await expectScreen('delegation.md', 'result', results.find((text) => text.startsWith('Auth uses')) ?? '');
  });

  test('a notice about what runs low', async () => {
    const resource = { name: 'tokens', limit: 60_000, left: 12_480, then: 'stop' } as const;
    await expectScreen('token-economy.md', 'notice', noticeAbout([resource], {}, [0.25]).text ?? '');
  });

  test('a model that cannot count tokens, in show', async () => {
    harness.model.setScript(lookAround);
    const run = await createBaton(harness.client, harness).startRun({
      runId: 'note-1',
      goal: 'Look around',
      model: { name: 'openai:scripted', maxTokens: 1_000, window: 200_000 },
    });
    const line = await until(async () =>
      (await baton('show', 'note-1')).split('\n').find((each) => each.startsWith('note ')),
    );
    await expectScreen('models.md', 'note', line);
    await run.cancel();
  });

  test('the address of the page', async () => {
    const surroundings = { cwd: harness.folder, env: { ...env(), TEMPORAL_ADDRESS: testAddress() } };
    const ui = startBaton(['ui', '--no-open', '--port', '0'], surroundings);
    await ui.said('Stop with Ctrl-C.');
    await expectScreen('ui.md', 'ui', `$ baton ui\n${ui.stdout}${ui.stderr}`);
    expect((await ui.kill('SIGINT')).exitCode).not.toBe(1);
  });
});

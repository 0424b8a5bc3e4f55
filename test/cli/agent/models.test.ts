import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runWorkflowId } from '../../../domain/kernel';
import { fail, say, useTool } from '../../../testing/scripted-model';
import { Harness } from '../../support/harness';
import { operated } from '../../support/parked';
import { batonInProcess, type Printed } from '../support/in-process';

const models = `models:
  openai:scripted:
    window: 100000
    maxTokens: 2000
    price: { input: 2, output: 10 }
  tiny: { window: 20000 }
`;

describe('the command line', () => {
  let harness: Harness;
  let file: string;
  let bad: string;
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'));
    [file, bad] = [join(harness.folder, 'models.yaml'), join(harness.folder, 'bad.yaml')];
    await writeFile(file, models);
    await writeFile(bad, 'models:\n  a:\n    window: none\n');
  });
  afterAll(() => harness.close());

  const baton = (args: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<Printed> => {
    const { client, folder, taskQueue } = harness;
    const env = { BATON_STORE_DIR: join(folder, 'store'), BATON_TASK_QUEUE: taskQueue, ...more };
    return batonInProcess({ client, folder, env }, args);
  };
  const ofRun = async (id: string, command: string, ...more: string[]): Promise<string> =>
    (await baton([command, id, ...more])).stdout;

  test('starts a run with a fallback, and every command shows which model took over', async () => {
    harness.model.setScript(() => say('By another.'));
    const started = await baton([
      ...['run', 'Look.', '--id', 'fell-back', '--follow'],
      ...['--model', 'claude-next', '--window', '200000', '--fallback', 'claude-haiku-5-5, claude-opus-5-5'],
    ]);
    expect(started).toMatchObject({ exitCode: 0 });
    expect(started.stdout).toContain('By another.');
    const change =
      'turn 1: claude-next failed, and claude-haiku-5-5 took over (Model.NotFound: 404: model: claude-next';
    expect(await ofRun('fell-back', 'show')).toMatch(/^model +claude-haiku-5-5$/m);
    expect(await ofRun('fell-back', 'show')).toContain(change);
    expect(await ofRun('fell-back', 'why')).toContain(`Another model is in use since ${change}`);
    expect(await ofRun('fell-back', 'tree')).toContain('claude-haiku-5-5 instead of claude-next (Model.NotFound)');
    expect(await ofRun('fell-back', 'tail')).toContain(
      'turn 1: claude-next failed, and claude-haiku-5-5 takes over (Model.NotFound: 404',
    );
    const page = join(harness.folder, 'report.html');
    await ofRun('fell-back', 'report', '--plain', '--out', page);
    expect(await readFile(page, 'utf8')).toContain('claude-next failed, and claude-haiku-5-5 took over');
  });

  test.each([
    ['an option', (path: string) => ({ args: ['--models', path], env: {} })],
    ['a variable', (path: string) => ({ args: [], env: { BATON_MODELS: path } })],
  ])('reads windows and prices of models from the file that %s names', async (_, how) => {
    harness.model.setScript(() => say('Elsewhere.'));
    const { args, env } = how(file);
    const id = `elsewhere-${args.length}`;
    const budget = ['--budget-usd', '1'];
    const run = ['run', 'Look.', '--id', id, '--model', 'openai:scripted', '--follow', ...budget, ...args];
    expect(await baton(run, env)).toMatchObject({ exitCode: 0 });
    const shown = await ofRun(id, 'show');
    expect(shown).toMatch(/^model +openai:scripted$/m);
    expect(shown).toMatch(/^own +\d+ turns?, [\d,]+ tokens, \$0\.00\d/m);
    expect(shown).toMatch(/^window .* of 100,000/m);
    expect(await ofRun(id, 'tree')).toMatch(/completed · 1 turn · .* tokens · \$0\.00/);
  });

  test('amends a waiting agent to a model that the file describes', async () => {
    harness.model.setScript(({ request, turn }) => {
      if (turn === 0) return useTool('add_note', { text: 'n' });
      return request.model === 'scripted' ? say('Amended.') : fail(400);
    });
    const id = 'amended';
    await baton(['run', 'Look.', '--id', id, '--hold', '--budget-usd', '1']);
    await operated(harness.client, runWorkflowId(id)).incident();
    const unknown = await baton(['amend', id, '--model', 'openai:scripted']);
    expect(unknown).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/not a known model.*--models/) as string,
    });
    const to = ['--model', 'openai:scripted', '--models', file, '--fallback', 'claude-opus-5-5'];
    expect(await baton(['amend', id, ...to, '--follow'])).toMatchObject({ exitCode: 0 });
    const shown = await ofRun(id, 'show');
    expect(shown).toContain('Amended.');
    expect(shown).toMatch(/^window .* of 100,000/m);
  });

  test.each<[string, readonly string[], RegExp]>([
    ['an unknown fallback', ['--fallback', 'nobody'], /--fallback: "nobody" is not a known model.*--models/],
    ['a fallback without a name', ['--fallback', 'a,,b'], /--fallback.*names of models, separated by commas/],
    ['the model itself as fallback', ['--fallback', 'claude-sonnet-5-5'], /--fallback: .* is the model itself/],
    [
      'a fallback that is too small',
      ['--models', 'FILE', '--fallback', 'tiny'],
      /--fallback: .*too small.*--handoff-at/,
    ],
    [
      'a fallback without a price',
      ['--models', 'FILE', '--fallback', 'tiny', '--budget-usd', '1'],
      /price of "tiny" is unknown.*--price, --models/,
    ],
    ['a models file with an error', ['--models', 'BAD'], /--models: .*bad\.yaml:3:5: error: models\.a\.window: /],
    ['a models file that does not exist', ['--models', 'none.yaml'], /--models: none\.yaml:1:1: error: cannot be read/],
    [
      'a reply longer than the model’s',
      ['--models', 'FILE', '-m', 'openai:scripted', '--max-tokens', '2001'],
      /2001 more/,
    ],
    ['a price without output', ['--price', 'input=1'], /--price.*input=3,output=15/],
    ['a price twice', ['--price', 'input=1,output=2,input=3'], /--price.*input=3,output=15/],
    ['a price that is no number', ['--price', 'input=x,output=2'], /--price.*input=3,output=15/],
  ])('refuses %s, and starts nothing', async (_, args, words) => {
    const id = 'refused';
    const given = args.map((arg) => arg.replace('FILE', file).replace('BAD', bad));
    const { exitCode, stderr } = await baton(['run', 'Look.', '--id', id, ...given]);
    expect(stderr).toMatch(words);
    expect(exitCode).toBe(2);
    await expect(harness.client.workflow.getHandle(runWorkflowId(id)).describe()).rejects.toThrow(/not found/);
  });
});

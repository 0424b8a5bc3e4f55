import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createGate, type Gate } from '../../../testing/scripted-model';
import { featureScript, inputOf, verdict } from '../../support/relays';
import { projectFiles } from '../../support/skill-project';
import { until } from '../../support/until';
import { Stand } from '../support/stand';

describe('baton relay', () => {
  let stand: Stand;
  let second: Gate;
  beforeAll(async () => {
    second = createGate();
    const play = featureScript(1);
    stand = await Stand.start(async (call) => {
      if (inputOf(call, 'Step') === 's2') await second.opened;
      return play(call);
    });
    for (const [path, text] of Object.entries(projectFiles)) {
      await mkdir(dirname(join(stand.folder, 'workspace', path)), { recursive: true });
      await writeFile(join(stand.folder, 'workspace', path), text);
    }
  });
  afterAll(() => stand.close());

  test('runs a relay by its name, and prints only the last final message', async () => {
    const id = stand.newId();
    const started = ['relay', 'feature', '--goal', 'Add OAuth.', '-w', 'workspace', '--id', id];
    const following = stand.startBaton(...started, '--follow');
    await following.said('step 3 of 4: execute, 1 of 2 items');
    second.open();
    const { stdout, exitCode } = await following.ended;
    expect(JSON.parse(stdout)).toEqual(JSON.parse(verdict('pass')));
    expect(exitCode).toBe(0);

    const again = await stand.baton(...started);
    expect(again.stderr).toContain(`Run ${id} already exists (completed). Attached to it; nothing was started.`);
    // Other tests start runs on the same server, and its search index lags behind.
    await until(async () => {
      const listed = await stand.command('list', '--limit', '1000');
      return listed.stdout.includes(id) ? true : undefined;
    });
    const tailed = await stand.command('tail', id);
    expect(tailed.stdout).toContain('(relay): research: Add OAuth.');
    const shown = await stand.command('show', id);
    expect(shown).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('completed') as string });
    expect((await stand.command('prompt', id)).stdout).toContain('3. execute: executor; for each of');
    expect((await stand.command('audit', id)).exitCode).toBe(0);
    expect((await stand.command('artifacts', id)).stdout).toMatch(/DISCOVERY\.md[^]*PLAN\.md/);
    expect((await stand.command('diff', id)).stdout).toContain('+s2');
  });

  test('finds relays and skills in the folder where it is run, not in the workspace', async () => {
    const write = async (path: string, text: string): Promise<void> => {
      await mkdir(dirname(join(stand.folder, path)), { recursive: true });
      await writeFile(join(stand.folder, path), text);
    };
    const relay = (name: string, skill: string): string =>
      `name: ${name}\ndescription: D.\nsteps:\n  - { name: a, skill: ${skill}, input: { goal: { from: goal } } }\n`;
    await write(
      '.baton/skills/mine.yaml',
      'name: mine\ndescription: D.\nsystemPrompt: You.\ntools: []\noutput: text\n',
    );
    await write('.baton/relays/here.yaml', relay('here', 'mine'));
    await write('workspace/.baton/relays/there.yaml', relay('there', 'researcher'));
    const id = stand.newId();
    const found = await stand.baton('relay', 'here', '-g', 'Look', '-w', 'workspace', '--id', id);
    expect(found).toMatchObject({ exitCode: 0, stdout: `${id}\n` });
    const { exitCode, stderr } = await stand.command('relay', 'there', '-g', 'Look', '-w', 'workspace');
    expect(stderr).toMatch(/unknown relay "there"\. Did you mean "here"\? Available: feature, here/);
    expect(exitCode).toBe(1);
  });

  test('prints the id of a relay from a file, or JSON', async () => {
    await writeFile(
      join(stand.folder, 'look.yaml'),
      'name: look\ndescription: Looks.\nsteps:\n  - { name: a, skill: researcher, input: { goal: { from: goal } } }\n',
    );
    const id = stand.newId();
    const { stdout } = await stand.command('relay', 'look.yaml', '-g', 'Look', '-w', 'workspace', '--id', id, '--json');
    expect(JSON.parse(stdout)).toEqual({ runId: id, workflowId: `run/${id}`, isNew: true, page: null });
  });

  test.each<[string, string[], number, RegExp]>([
    ['a relay that there is not', ['nothing', '-g', 'x'], 1, /unknown relay "nothing"\. Available: feature/],
    ['a relay without a goal', ['feature'], 2, /required option '-g, --goal <text>'/],
    ['an empty goal', ['feature', '-g', ' '], 2, /--goal.* Must not be empty/],
    [
      'a file with errors',
      ['broken.yaml', '-g', 'x'],
      2,
      /broken\.yaml:3:\d+: error: steps\[0\]\.skill: unknown skill "s"/,
    ],
    ['a file that is not there', ['gone.yaml', '-g', 'x'], 2, /gone\.yaml:1:1: error: cannot be read: ENOENT/],
    [
      'a deadline in the past',
      ['feature', '-g', 'x', '--deadline', '2001-01-01T00:00:00Z'],
      2,
      /--deadline.*The deadline is in the past/,
    ],
  ])('refuses %s, and starts nothing', async (_, args, code, words) => {
    await writeFile(
      join(stand.folder, 'broken.yaml'),
      'name: b\ndescription: B.\nsteps: [{ name: a, skill: s, input: {} }]\n',
    );
    const id = stand.newId();
    const { stderr, stdout, exitCode } = await stand.command('relay', ...args, '--id', id);
    expect(stderr).toMatch(words);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: code });
    expect(await stand.hasRun(id)).toBe(false);
  });
});

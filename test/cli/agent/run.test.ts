import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createGate, fail, say, useTool, type Gate } from '../../../testing/scripted-model';
import { start } from '../support/process';
import { Stand } from '../support/stand';

interface StartedRun {
  readonly runId: string;
  readonly workflowId: string;
  readonly isNew: boolean;
}

describe('run', () => {
  let stand: Stand;
  let gate: Gate;
  let drawn: Gate;
  let told: Gate;
  beforeAll(async () => {
    gate = createGate();
    drawn = createGate();
    told = createGate();
    stand = await Stand.start(async ({ systemText, toolResults }) => {
      if (systemText.includes('Wait')) await gate.opened;
      if (systemText.includes('Be refused')) return fail(400, { message: 'max_tokens: too many' });
      // Its progress has been drawn before it ends.
      if (systemText.includes('Draw') && toolResults.length > 0) await drawn.opened;
      if (systemText.includes('Tell') && toolResults.length > 0) await told.opened;
      if (toolResults.length === 0) return useTool('list_files', { path: '.' });
      return say(`There is ${toolResults[0]!.text}`);
    });
    await writeFile(join(stand.folder, 'workspace', 'a.txt'), 'hello');
  });
  afterAll(() => stand.close());

  test('prints only the id of the run to standard output', async () => {
    const { stdout, stderr, exitCode } = await stand.baton('run', 'Look around');
    expect(stdout).toMatch(/^\d{8}-\d{6}-[a-z0-9]{6}\n$/);
    expect(stderr).toContain(`Follow it with: baton show ${stdout.trim()} --follow`);
    expect(exitCode).toBe(0);
    expect(await stand.hasRun(stdout.trim())).toBe(true);
  });

  test('with --json prints what it started', async () => {
    const id = stand.newId();
    const { stdout } = await stand.command('run', 'Look around', '--id', id, '--json');
    expect(JSON.parse(stdout)).toEqual({ runId: id, workflowId: `run/${id}`, isNew: true, page: null });
  });

  test('attaches to an existing run with the same id and goal', async () => {
    const id = stand.newId();
    const [first, second] = [
      await stand.command('run', 'One', '--id', id),
      await stand.command('run', 'One', '--id', id),
    ];
    expect(first).toMatchObject({ exitCode: 0, stdout: `${id}\n` });
    expect(second).toMatchObject({ exitCode: 0, stdout: `${id}\n` });
    expect(second.stderr).toMatch(
      new RegExp(`Run ${id} already exists \\((running|completed)\\)\\. Attached to it; nothing`),
    );
    const { stdout } = await stand.command('run', 'One', '--id', id, '--json');
    expect((JSON.parse(stdout) as StartedRun).isNew).toBe(false);

    const other = await stand.command('run', 'Two', '--id', id, '--json');
    expect(other.exitCode).toBe(2);
    expect(other.stderr).toMatch(/Its goal, prompt, skill or relay is another one: "One"\. Nothing was started\./);
    expect(JSON.parse(other.stdout)).toMatchObject({ error: { exitCode: 2 } });
  });

  test('with --follow and no terminal shows progress in plain lines, and prints only the answer', async () => {
    const following = stand.startBaton('run', 'Tell what is here', '-w', 'workspace', '--follow');
    await following.said(' of 200,000 tokens');
    told.open();
    const { stdout, stderr, exitCode } = await following.ended;
    expect(stdout).toMatch(/^There is a\.txt/);
    expect(stderr).toMatch(/^[a-z ]+ \(.+\) · \d turns? done · .* of 200,000 tokens/m);
    expect(stderr).toMatch(/^Run \S+ completed: 2 turns, [\d,]+ tokens, \$0\.\d+\.$/m);
    expect(stderr).not.toContain('\u001b');
    expect(exitCode).toBe(0);
  });

  test('with --follow on a terminal redraws one line, and still prints only the answer', async () => {
    const command = `stty rows 40 cols 120; "${process.execPath}" "${join(__dirname, '../../../bin/baton.js')}" run Draw -w workspace --follow >answer`;
    const terminal = start('script', ['-qec', `${command}; cat answer`, '/dev/null'], stand.surroundings());
    await terminal.printed('turn done');
    drawn.open();
    const onTerminal = await terminal.ended;
    expect(onTerminal.stdout).toContain('\u001b[');
    expect(onTerminal.stdout).toMatch(/turns? done · .* · \d+\.\d s/);
    expect(onTerminal.stdout.trimEnd().split('\n').at(-1)).toMatch(/There is a\.txt/);
  });

  test('with --follow --json prints the result as one line of JSON', async () => {
    const { stdout } = await stand.baton('run', 'Look around', '-w', 'workspace', '--follow', '--json');
    expect(stdout.trim().split('\n')).toHaveLength(1);
    expect(JSON.parse(stdout)).toMatchObject({
      kind: 'completed',
      turns: 2,
      answer: expect.stringMatching(/^There is/) as unknown,
    });
  });

  test('with --delegation reads controls from a file, and `prompt --sections` lists the paths that they can name', async () => {
    const revoked = '{ access: revoked, reason: It is a secret., alternative: Guess. }';
    await writeFile(join(stand.folder, 'controls.yaml'), `tools:\n  list_files: ${revoked}\n`);
    const id = stand.newId();
    const { stdout } = await stand.baton('run', 'Look', '--id', id, '--delegation', 'controls.yaml', '--follow');
    expect(stdout).toBe('There is list_files was revoked. Reason: It is a secret. Instead: Guess.\n');
    const sections = await stand.command('prompt', id, '--sections');
    expect(sections.stdout).toMatch(/^role {2}\d+ B\ntask {2}\d+ B\nworking-rules {2}/);
  });

  test('that fails says why and what to do, and exits with 1', async () => {
    const { stdout, stderr, exitCode } = await stand.baton('run', 'Be refused', '--follow');
    expect(stdout).toBe('');
    expect(stderr).toMatch(/Model\.BadRequest: 400.*max_tokens: too many/);
    expect(stderr).toMatch(/The cause is usually the model name or one of its settings/);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(exitCode).toBe(1);
  });

  test('continues when its follower is interrupted, which says how to follow it again', async () => {
    const id = stand.newId();
    const follower = stand.startBaton('run', 'Wait', '-w', 'workspace', '--id', id, '--follow');
    await follower.said('thinking');
    const { exitCode, stdout, stderr } = await follower.kill('SIGINT');
    expect(stderr).toContain(`Run ${id} continues. Follow it with: baton show ${id} --follow.`);
    expect({ exitCode, stdout }).toEqual({ exitCode: 130, stdout: '' });
    gate.open();
    expect(await stand.baton('show', id, '--follow')).toMatchObject({ exitCode: 0, stdout: 'There is a.txt\n' });
  });
});

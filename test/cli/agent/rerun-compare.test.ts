import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createBaton } from '../../../client';
import { copyContents } from '../../../store/copy-contents';
import { copyPromptRecords } from '../../../store/prompts';
import { putRootRecord, readStoredRoot } from '../../../store/run-record';
import { fail, say, type Script, useTool } from '../../../testing/scripted-model';
import { depthOf, dispatch } from '../../support/delegation-script';
import { Harness } from '../../support/harness';
import { playRelay, relayNamed } from '../../support/relays';
import { expectScreen } from '../../support/doc-screens';
import { shipped, writeProject } from '../../support/skill-project';
import { until } from '../../support/until';
import { batonInProcess, type Printed } from '../support/in-process';

/** Reads a file that does not exist, delegates, notes, and answers with the name of the model. */
const script: Script = (call) => {
  if (depthOf(call) > 0) return say('Fine.');
  if (call.systemText.includes('Be refused.') && call.turn > 0) return fail(401);
  return (
    [
      useTool('read_file', { path: 'no-such-file' }),
      useTool('dispatch_subagent', dispatch()),
      useTool('add_note', { text: 'Look at the tests.', kind: 'decision' }),
    ][call.turn] ?? say(`Checked.\nBy ${call.request.model}.\nNo risks.`)
  );
};

describe('rerun and compare', () => {
  let harness: Harness;
  const baton = (...args: readonly string[]): Promise<Printed> => {
    const env = { BATON_STORE_DIR: join(harness.folder, 'store'), BATON_TASK_QUEUE: harness.taskQueue };
    return batonInProcess({ client: harness.client, folder: harness.folder, env }, args);
  };
  const widest = (text: string): number => Math.max(...text.split('\n').map((line) => line.length));

  beforeAll(async () => {
    const skills = await shipped();
    const researcher = skills.find(({ name }) => name === 'researcher')!;
    const limits = { ...researcher.limits, maxTurns: 7, deadlineSeconds: 3_600 };
    harness = await Harness.start(script, {
      replayed: false,
      skills: [...skills, { ...researcher, name: 'quick', limits }],
    });
    const library = createBaton(harness.client, harness);
    const root = await writeProject(join(harness.folder, 'project'));
    const workspace = { root };
    await (
      await library.startRun({ runId: 'short', goal: 'Find the risks.', workspace, limits: { maxTurns: 3 } })
    ).result();
  });
  afterAll(() => harness.close());

  test('a run without turns left goes on with its last turn, and says what it continues', async () => {
    const before = harness.model.calls.length;
    const follow = ['--from-turn', 'last', '--max-turns', '9', '--id', 'longer', '--follow'];
    const { stdout, exitCode } = await baton('rerun', 'short', ...follow);
    expect([exitCode, stdout]).toEqual([0, 'Checked.\nBy claude-sonnet-5-5.\nNo risks.\n']);
    expect(harness.model.calls.length - before).toBe(1);
    expect((await baton('show', 'longer')).stdout).toMatch(
      /^continues +short from turn 4; 3 turns of it kept, not paid/m,
    );
    const continues = (await baton('show', 'longer')).stdout.split('\n').find((line) => line.startsWith('continues'));
    await expectScreen('operators.md', 'continues', continues ?? '');
    expect((await baton('audit', 'longer')).exitCode).toBe(0);
  });

  test('the same again with another model, side by side with the first', async () => {
    const again = await baton('rerun', 'longer', '--model', 'claude-opus-5-5', '--id', 'other', '--follow');
    expect(again.stdout).toContain('By claude-opus-5-5.');
    const { stdout, exitCode } = await baton('compare', 'short', 'other');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^ +short +other$/m);
    expect(stdout).toMatch(/^status +failed, Agent.TurnLimit +completed$/m);
    expect(stdout).toMatch(/^model +claude-sonnet-5-5 +claude-opus-5-5$/m);
    await expectScreen('operators.md', 'compare', stdout.split('\n').slice(0, 7).join('\n'));
    expect(stdout).toMatch(/^own turns +3 +1\nall turns +4 +1$/m);
    expect(stdout).toMatch(/^ {2}read_file +1×, 1 failed +–$/m);
    expect(stdout).toContain('short: No answer within 3 turns.');
    expect(stdout).toContain('short has no answer.');
    expect(stdout).not.toMatch(/^goal/m);
    expect(widest(stdout)).toBeLessThanOrEqual(80);

    const differing = (await baton('compare', 'longer', 'other')).stdout;
    expect(differing).toContain('\n Checked.\n-By claude-sonnet-5-5.\n+By claude-opus-5-5.\n No risks.');
    expect((await baton('compare', 'other', 'other')).stdout).toContain('The answers are the same.');
    const parsed: unknown = JSON.parse((await baton('compare', 'short', 'longer', '--json')).stdout);
    expect(parsed).toMatchObject({ a: { own: { turns: 3 }, agents: 2 }, b: { own: { turns: 1 } }, isSameGoal: true });
  });

  test('a run with a skill keeps the turns and the time that the skill allows', async () => {
    const library = createBaton(harness.client, harness);
    const workspace = { root: join(harness.folder, 'project') };
    const skill = { name: 'quick', input: { goal: 'Find the risks.' } };
    const { workflowId } = await library.startRun({ runId: 'skilled', skill, workspace });
    await until(async () => ((await library.run('skilled').snapshot())?.turn ?? 0) > 0 || undefined);
    await harness.client.workflow.getHandle(workflowId).cancel();
    await library.run('skilled').result();
    const before = Date.now();
    const { runId } = await library.rerun('skilled', { fromTurn: 1, newId: 'skilled-again' });
    const root = await until(async () => (await readStoredRoot(harness.store.forRun(runId)))?.root);
    expect(root.settings.limits.maxTurns).toBe(7);
    const left = Date.parse(root.settings.deadline!) - before;
    expect(left).toBeGreaterThanOrEqual(3_600_000);
    expect(left).toBeLessThan(3_600_000 + 300_000);
    await library.run(runId).cancel();
    await library.run(runId).result();
  });

  test('a rerun that waits for a person runs the command of --notify, and says at its end what it spent', async () => {
    const library = createBaton(harness.client, harness);
    await library.startRun({ runId: 'held', goal: 'Be refused.', onFailure: 'hold' });
    const follow = (file: string): string[] => ['--follow', '--notify', `cat > ${join(harness.folder, file)}`];
    const rerunning = baton('rerun', 'held', '--id', 'held-again', ...follow('rerun'));
    const showing = ['--utc', '--json'].map((option) => baton('show', 'held', option, ...follow(option)));
    for (const file of ['rerun', '--utc', '--json'])
      await until(async () => {
        const notified = await readFile(join(harness.folder, file), 'utf8').catch(() => '');
        return notified.includes('Model.Unauthorized') || undefined;
      });
    expect((await baton('abort', 'held-again')).exitCode).toBe(0);
    expect((await baton('cancel', 'held')).exitCode).toBe(0);
    const { stderr, exitCode } = await rerunning;
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^Spent: 1 turn, [\d,.k]+ tokens, \$0\.\d+\.\nRun held-again failed\.$/m);
    const [utc, json] = await Promise.all(showing);
    expect(utc?.stderr).toMatch(/^! held needs you since \d{4}-\d\d-\d\dT[\d:.]+Z: i1 /m);
    expect(utc?.stderr).toMatch(/^Spent: 1 turn, .*\nRun held was cancelled\.$/m);
    expect(JSON.parse(json?.stdout ?? '')).toMatchObject({ kind: 'cancelled', withDelegations: { turns: 1 } });
    expect(await baton('rerun', 'held', '--notify', 'true')).toMatchObject({ exitCode: 2 });
  });

  test('what is not possible is said with the command that is', async () => {
    expect(await baton('rerun', 'short', '--from-turn', '7')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/--from-turn: run short has no turn 7 .*turns 1 to 4/s) as string,
    });
    expect(await baton('rerun', 'short', '--from-turn', 'first')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Must be the number of a turn, or "last"') as string,
    });
    expect(await baton('rerun', 'nobody')).toMatchObject({ exitCode: 1 });
    const steps = [{ name: 'one', skill: 'researcher', input: { goal: { from: 'goal' } } }] as const;
    const { workflowId } = await playRelay(harness, relayNamed('r', steps));
    const relay = workflowId.slice('run/'.length);
    expect(await baton('rerun', relay, '--from-turn', '1')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/is a relay.*baton rerun/s) as string,
    });
    await harness.client.workflow.getHandle(workflowId).terminate();
    const other = await baton('rerun', relay, '--id', 'relay-again');
    expect(other).toMatchObject({ exitCode: 0, stdout: 'relay-again\n' });
    const started = harness.client.workflow.getHandle('run/relay-again');
    expect((await started.describe()).type).toBe('relayWorkflow');
    await started.terminate();
  });

  test('a run that the server has forgotten starts again from the beginning', async () => {
    // A store that has data of a run, and a server that does not know it.
    const { store } = harness;
    const { root } = (await readStoredRoot(store.forRun('short'))) ?? {};
    if (root === undefined) throw new Error('the run is not recorded');
    await copyContents(store.forRun('short'), store.forRun('forgotten'), [root]);
    await copyPromptRecords(store.forRun('short'), store.forRun('forgotten'), root.opened.prompt);
    await putRootRecord(store.forRun('forgotten'), root);
    const last = await baton('rerun', 'forgotten', '--from-turn', 'last');
    expect(last).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('no longer has run forgotten') as string,
    });
    const again = await baton('rerun', 'forgotten', '--max-turns', '20', '--id', 'anew', '--follow');
    expect(again.stdout).toContain('No risks.');
    const { stdout, stderr } = await baton('compare', 'forgotten', 'anew');
    expect(stderr).toContain('From the store; the server no longer has this run.');
    expect(stdout).toMatch(/^status +unknown +completed$/m);
  });
});

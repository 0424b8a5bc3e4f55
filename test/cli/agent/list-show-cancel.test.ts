import { fail, hang, say } from '../../../testing/scripted-model';
import { until } from '../../support/until';
import { Stand } from '../support/stand';

interface ListedRun {
  readonly runId: string;
  readonly status: string;
  readonly goal: string;
}

describe('list, show and cancel', () => {
  let stand: Stand;
  const ids = { completed: '', failed: '', running: '' };
  beforeAll(async () => {
    stand = await Stand.start(({ systemText }) => {
      if (systemText.includes('Never end')) return hang({ afterEvents: 3, answer: say('An answer that never ends') });
      return systemText.includes('Be refused') ? fail(400, { message: 'no such setting' }) : say('Forty-two.');
    });
    Object.assign(ids, { completed: stand.newId(), failed: stand.newId(), running: stand.newId() });
    await stand.baton('run', 'Never end', '--id', ids.running);
    await Promise.all([
      stand.baton('run', 'What is the answer?\nThink.', '--id', ids.completed, '--follow'),
      stand.baton('run', 'Be refused', '--id', ids.failed, '--follow'),
      stand.model.waitForCall(0),
    ]);
  });
  afterAll(() => stand.close());

  const listed = async (...args: string[]): Promise<ListedRun[]> => {
    const { stdout, exitCode } = await stand.command('list', '--json', '--limit', '1000', ...args);
    expect(exitCode).toBe(0);
    return JSON.parse(stdout) as ListedRun[];
  };
  /** The server's search index lags behind. */
  const eventually = async (check: () => Promise<void>): Promise<void> => {
    const end = Date.now() + 60_000;
    for (;;) {
      try {
        await check();
        return;
      } catch (error) {
        if (Date.now() > end) throw error;
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    }
  };

  test('list shows runs with their states, as a table and as JSON', async () => {
    await eventually(async () => {
      const runs = await listed();
      const statusOf = (id: string): string | undefined => runs.find(({ runId }) => runId === id)?.status;
      expect(Object.keys(ids).map((key) => statusOf(ids[key as keyof typeof ids]))).toEqual(Object.keys(ids));
      expect(runs.find(({ runId }) => runId === ids.completed)?.goal).toBe('What is the answer?');
    });
    const { stdout } = await stand.command('list', '--limit', '1000');
    expect(stdout).toMatch(/^RUN +STATE +STARTED +TOOK +COST +GOAL\n/);
    expect(stdout).toMatch(
      new RegExp(`^${ids.failed} +failed +(just now|\\d+ \\w+ ago) +[\\d.]+ s +(\\S+ +)?Be refused$`, 'm'),
    );
  });

  test('list can be limited to one state', async () => {
    await eventually(async () => {
      const failed = await listed('--status', 'failed');
      expect(failed.map(({ runId }) => runId)).toContain(ids.failed);
      expect(new Set(failed.map(({ status }) => status))).toEqual(new Set(['failed']));
    });
  });

  test('list without runs says how to start one, and prints nothing', async () => {
    expect(await stand.command('list', '--status', 'timed-out')).toMatchObject({
      exitCode: 0,
      stdout: '',
      stderr: 'No runs. Start one with: baton run "…"\n',
    });
    expect(await listed('--status', 'timed-out')).toEqual([]);
  });

  test('show prints the status of a running run', async () => {
    const { stdout, exitCode } = await stand.command('show', ids.running);
    expect(stdout).toMatch(/^status +running$/m);
    expect(stdout).toMatch(/^progress +thinking: claude-sonnet-5-5, turn 1$/m);
    expect(stdout).toMatch(/^turns +0 of 100$/m);
    expect(exitCode).toBe(0);
  });

  test('show prints the result of a completed run', async () => {
    const { stdout } = await stand.command('show', ids.completed);
    expect(stdout).toMatch(/^status +completed$/m);
    expect(stdout).toMatch(/^own +1 turn, [\d,]+ tokens, \$[\d.]+\n +input .*output \d+$/m);
    expect(stdout.endsWith('\n\nForty-two.\n')).toBe(true);
    const { stdout: json } = await stand.command('show', ids.completed, '--json');
    expect(JSON.parse(json)).toMatchObject({
      runId: ids.completed,
      status: 'completed',
      answer: 'Forty-two.',
      snapshot: { turn: 1, window: 200_000 },
      outcome: { kind: 'completed' },
    });
  });

  test.each(['show', 'tree', 'prompt', 'transcript', 'session'])(
    '%s of a delegation that never existed does not say that the server no longer has the run',
    async (name) => {
      const { exitCode, stdout, stderr } = await stand.command(name, `${ids.completed}/zzz`);
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
      expect(stderr).toMatch(/^Run .* has no delegation "zzz"\.\nList its delegations with: baton tree/);
    },
  );

  test('show says once why a run failed and what to do', async () => {
    const { stdout, exitCode } = await stand.command('show', ids.failed);
    expect(stdout).toMatch(/^failure +Model\.BadRequest: 400.*no such setting/m);
    expect(stdout.match(/Read the message/g)).toHaveLength(1);
    expect(exitCode).toBe(0);
    const { stdout: json } = await stand.command('show', ids.failed, '--json');
    expect(JSON.parse(json)).toMatchObject({ outcome: { kind: 'failed', type: 'Model.BadRequest' }, answer: null });
  });

  test('pause and steer say that a run has ended', async () => {
    for (const args of [
      ['pause', ids.completed],
      ['steer', ids.completed, 'x'],
    ])
      expect(await stand.command(...args)).toMatchObject({
        exitCode: 1,
        stderr: `${ids.completed} has already ended (completed).\nSee its result with: baton show ${ids.completed}\n`,
      });
  });

  test('run, rerun and cancel say at once that no worker is running', async () => {
    const id = stand.newId();
    const lonely = { BATON_TASK_QUEUE: `nobody-${id}` };
    const started = await stand.batonWith(lonely, 'run', 'Wait', '--id', id);
    expect(started.stderr).toContain(`No worker is running on task queue "nobody-${id}", so the run waits.`);
    const again = await stand.command('rerun', id, '--id', `${id}-again`);
    expect(again.stderr).toContain(`No worker is running on task queue "nobody-${id}", so the run waits.`);
    await stand.stopRun(`${id}-again`);
    const cancelled = await stand.batonWith(lonely, 'cancel', id);
    expect(cancelled.stderr).toMatch(/was asked to cancel but is still running\. It ends as soon as a worker runs\./);
    expect(cancelled.exitCode).toBe(3);
    await stand.stopRun(id);
  });

  test('show of a terminated run does not say what it was waiting for', async () => {
    const id = stand.newId();
    await stand.baton('run', 'Never end', '--id', id);
    await until(async () => (await stand.command('show', id)).stdout.includes('thinking') || undefined);
    await stand.stopRun(id);
    const { stdout } = await stand.command('show', id);
    expect(stdout).toMatch(/^status +terminated$/m);
    expect(stdout).not.toMatch(/^(progress|below|incident)/m);
  });

  test('cancel ends a running run, and reports a run that has already ended', async () => {
    expect(await stand.baton('cancel', ids.running)).toMatchObject({
      exitCode: 0,
      stdout: `Run ${ids.running}: cancelled.\n`,
    });
    expect(await stand.baton('cancel', ids.running)).toMatchObject({
      exitCode: 0,
      stdout: `Run ${ids.running} had already ended (cancelled).\n`,
    });
    expect((await stand.command('show', ids.running)).stdout).toMatch(/^status +cancelled$/m);
    const followed = await stand.baton('show', ids.running, '--follow');
    expect(followed).toMatchObject({ exitCode: 1, stdout: '' });
    expect(followed.stderr).toContain(`Run ${ids.running} was cancelled.`);
  });
});

import { batonRun } from '../../../client';
import type { SessionView } from '../../../domain/agent';
import { displayId, runIdOf } from '../../../domain/kernel';
import {
  createGate,
  type Gate,
  say,
  type Script,
  scriptByTurn,
  type ScriptedCall,
  useTool,
} from '../../../testing/scripted-model';
import { sessionQuery } from '../../../workflows/messages';
import { batonInProcess, type Printed } from '../../cli/support/in-process';
import { batch, delegationsOf, hostOf, reasonOf } from '../../support/batches';
import { Harness, type RunHandle } from '../../support/harness';
import { operated } from '../../support/parked';
import { treePlayer } from '../../support/tree-player';
import { until } from '../../support/until';

describe('the session of a run, for those who watch it', () => {
  let harness: Harness;
  let run: RunHandle;
  let asked: readonly ScriptedCall[];
  const gate = createGate();
  const { play } = treePlayer(() => harness, 'dispatch_subagents');

  const child: Script = async (call) => {
    const reason = reasonOf(call);
    if (call.turn === 0) return useTool('add_note', { text: `Note of ${reason}` });
    if (reason === 'Quick') return say('Noted.');
    if (call.turn === 1) {
      await gate.opened;
      return useTool('add_note', { text: 'The last note' });
    }
    return say('Noted.');
  };

  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'));
    ({ handle: run, asked } = await play([
      scriptByTurn(
        useTool('add_plan_steps', { steps: ['Own step'] }),
        useTool('dispatch_subagents', batch(['Quick', 'Held'])),
        say('done'),
      ),
      child,
    ]));
    const [quick] = await delegationsOf(harness.client, run, 2);
    await harness.client.workflow.getHandle(quick!.workflowId).result();
    await until(() => asked.find((call) => reasonOf(call) === 'Held' && call.turn === 1));
  });
  afterAll(() => harness.close());

  const baton = (...args: string[]): Promise<Printed> => {
    const { client, folder } = harness;
    return batonInProcess({ client, folder, env: { BATON_STATE_DIR: folder } }, args);
  };
  /** Follows the session, and opens the gate when it has been printed for the first time. */
  const watching = (shown: Gate, ...args: string[]): Promise<Printed> => {
    const { client, folder } = harness;
    const env = { BATON_STATE_DIR: folder };
    return batonInProcess({ client, folder, env }, ['session', runId(), '--follow', ...args], {
      onOutput: () => shown.open(),
    });
  };
  const runId = (): string => runIdOf(run.workflowId) ?? '';
  const query = (workflowId: string): Promise<SessionView> =>
    harness.client.workflow.getHandle(workflowId).query(sessionQuery);
  const textsOf = ({ slices }: Pick<SessionView, 'slices'>): unknown[] =>
    (slices['notes'] ?? []).map((note) => note['text']);

  test('is answered by its host while a batch runs, and agents say which host that is', async () => {
    const host = await hostOf(harness.client, run);
    const own = await query(run.workflowId);
    expect(own.host).toBe(host.workflowId);
    expect(textsOf(own)).toEqual([]);
    const live = await query(host.workflowId);
    expect(live.host).toBeUndefined();
    expect(textsOf(live).sort()).toEqual(['Note of Held', 'Note of Quick']);
    expect(live.version).toBeGreaterThan(own.version);
    const [, held] = await delegationsOf(harness.client, run, 2);
    expect((await query(held!.workflowId)).host).toBe(host.workflowId);
  });

  test('is shown by the host on its page in the Web UI', async () => {
    const host = await hostOf(harness.client, run);
    expect(await operated(harness.client, host.workflowId).details()).toMatch(
      /^version \d+, records:\n\n(- \w+: \d+\n)*- notes: 2\n/,
    );
  });

  test('is live for the client library, also when a delegation is named', async () => {
    const host = await hostOf(harness.client, run);
    const [, held] = await delegationsOf(harness.client, run, 2);
    const handle = batonRun(harness.client, runId());
    for (const delegation of [null, held!.workflowId]) {
      const session = await handle.session(delegation);
      expect(session.host).toBe(host.workflowId);
      expect(textsOf(session).sort()).toEqual(['Note of Held', 'Note of Quick']);
    }
  });

  test('is printed as tables, or one slice of it, or as JSON', async () => {
    const host = await hostOf(harness.client, run);
    const { stdout, stderr, exitCode } = await baton('session', runId());
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    expect(stdout).toContain(`shared: read from its host ${displayId(host.workflowId)}`);
    expect(stdout).toMatch(/^plan: 1 record\n {2}id +status +title\n {2}S001 +pending +Own step$/m);
    expect(stdout).toMatch(/^ {2}Note of Quick +run\//m);
    const plan = await baton('session', runId(), '--slice', 'plan');
    expect(plan.stdout).not.toContain('notes');
    const [, held] = await delegationsOf(harness.client, run, 2);
    const json = await baton('session', displayId(held!.workflowId), '--json', '--slice', 'notes');
    const printed = JSON.parse(json.stdout) as SessionView;
    expect(Object.keys(printed.slices)).toEqual(['notes']);
    expect(textsOf(printed)).toHaveLength(2);
  });

  test('has slices without records, and no others', async () => {
    expect((await baton('session', runId(), '--slice', 'artifacts')).stdout).toMatch(/No records\.\n$/);
    expect(await baton('session', runId(), '--slice', 'plans')).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringMatching(
        /^Slice "plans" does not exist\.\n.*Slices: artifacts, files, notes, plan, toolCalls, toolUse\./,
      ) as unknown,
    });
    expect((await baton('session', 'no-such-run')).stderr).toContain('Run "no-such-run" does not exist.');
  });

  test('is followed until the run has ended, and can be read afterwards', async () => {
    const shown = [createGate(), createGate()] as const;
    const following = watching(shown[0], '--slice', 'notes');
    const lines = watching(shown[1], '--json');
    await Promise.all(shown.map(({ opened }) => opened));
    gate.open();
    await run.result();
    const followed = await following;
    expect(followed.exitCode).toBe(0);
    expect(followed.stdout).toMatch(/^notes: 2 records\n/m);
    expect(followed.stdout).toMatch(/^\d+ {2}\+ notes {2}text=The last note {2}by=run\//m);
    const last = JSON.parse((await lines).stdout.trim().split('\n').at(-1) ?? '') as SessionView;
    expect(textsOf(last)).toContain('The last note');
    const { stdout } = await baton('session', runId());
    expect(stdout).toMatch(/^version \d+\n/);
    expect(stdout).toContain('The last note');
    expect((await query(run.workflowId)).host).toBeUndefined();
    // A delegation that has ended knows what it saw last.
    const [quick, held] = await delegationsOf(harness.client, run, 2);
    const lastSeen = await Promise.all(
      [quick, held].map(async (child) => (await baton('session', displayId(child!.workflowId))).stdout),
    );
    expect(lastSeen.map((text) => text.includes('The last note'))).toEqual([false, true]);
  });
});

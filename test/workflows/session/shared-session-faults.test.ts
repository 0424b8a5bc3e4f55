import type { PackedReplies } from '../../../domain/session';
import {
  createGate,
  hang,
  say,
  type Script,
  scriptByTurn,
  type ScriptedCall,
  useTool,
} from '../../../testing/scripted-model';
import {
  batch,
  delegationsOf,
  hostOf,
  planned,
  planner,
  planOf,
  reasonOf,
  recordOf,
  reset,
  resultsOf,
} from '../../support/batches';
import { depthOf } from '../../support/delegation-script';
import { Harness, type RunHandle } from '../../support/harness';
import { historiesOf, replayAll } from '../../support/replay';
import { treePlayer } from '../../support/tree-player';
import { until } from '../../support/until';

describe('a shared session survives', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'));
  });
  afterAll(() => harness.close());

  const { play, told } = treePlayer(() => harness, 'dispatch_subagents');
  const sharing = (...reasons: string[]): Script =>
    scriptByTurn(
      useTool('add_plan_steps', { steps: ['Own.'] }),
      useTool('dispatch_subagents', batch(reasons)),
      say('done'),
    );
  const asking = (asked: readonly ScriptedCall[], reason: string, turn: number): Promise<ScriptedCall> =>
    until(() => asked.find((call) => reasonOf(call) === reason && call.turn === turn));
  const statusOf = async (workflowId: string, runId?: string): Promise<string> =>
    (await harness.client.workflow.getHandle(workflowId, runId).describe()).status.name;
  const planAfter = async (handle: RunHandle, runId?: string): Promise<string[]> => {
    await harness.client.workflow.getHandle(handle.workflowId, runId).result();
    return planOf(harness.client, handle.workflowId, runId);
  };
  /** A child that waits in its second turn until the test releases it. */
  const heldBy = (gate: { readonly opened: Promise<void> }, steps: number): Script =>
    planner(steps, (call) => (reasonOf(call) === 'Held.' && call.turn === 1 ? gate.opened : Promise.resolve()));

  /** A turn of that child that never ends, the first time. */
  const stuckOnce = (reason: string, script: Script, turn = 1): Script => {
    let stuck = false;
    return (call) => {
      if (stuck || reasonOf(call) !== reason || call.turn !== turn) return script(call);
      stuck = true;
      return hang({ afterEvents: 3, answer: say('An answer that never ends') });
    };
  };

  test('a host that continues as new in the middle of a batch', async () => {
    const reasons = ['A.', 'B.', 'C.', 'D.'];
    const { handle } = await play([sharing(...reasons), planner(3)], {
      tuning: { heartbeatTimeoutMs: 5_000, requestsPerHost: 3 },
    });
    expect(await planAfter(handle)).toEqual(['Own.', ...planned(reasons, 3)].sort());
    const { executions, versions } = await recordOf(harness.client, await hostOf(harness.client, handle));
    expect(executions).toBeGreaterThan(1);
    expect(versions).toEqual([...versions].sort((a, b) => a - b));
  });

  test('a child that is reset: its writes are kept, it can write again, and its old execution cannot', async () => {
    const child = stuckOnce('Reset.', planner(2));
    const { handle, asked } = await play([sharing('Calm.', 'Reset.'), child]);
    await asking(asked, 'Reset.', 1);
    const old = (await delegationsOf(harness.client, handle, 2))[1]!;
    await reset(harness.client, old);
    const expected = ['Own.', ...planned(['Calm.', 'Reset.'], 2), 'Reset. 1'].sort();
    expect(await planAfter(handle)).toEqual(expected);
    await replayAll(await historiesOf(harness.client, old.workflowId));
  });

  test.each([
    ['that was reset', 1],
    ['that was reset and had never written', 0],
  ])('a late write of an execution %s, by refusing it', async (_, stuckIn) => {
    const gate = createGate();
    const last = stuckIn + 1;
    const child = stuckOnce(
      'Reset.',
      planner(last, ({ turn }) => (turn === last ? gate.opened : Promise.resolve())),
      stuckIn,
    );
    const { handle, asked } = await play([sharing('Reset.'), child]);
    await asking(asked, 'Reset.', stuckIn);
    const [old] = await delegationsOf(harness.client, handle, 1);
    const at = Date.now();
    await reset(harness.client, old!);
    await asking(asked, 'Reset.', last);
    const host = await hostOf(harness.client, handle);
    const late = { writer: old!.workflowId.split('/').at(-1)!, epoch: old!.runId, at, seq: stuckIn, since: 0, turn: 2 };
    const wanted = [{ tool: null, callId: '', isError: false, changes: [], events: [] }];
    const { replies } = await harness.client.workflow
      .getHandle(host.workflowId)
      .executeUpdate<PackedReplies, [unknown]>('applyTurns', {
        args: [{ requests: [{ ...late, wanted, resent: false, digest: '' }] }],
      });
    expect(replies).toEqual([{ ok: false, reason: 'staleEpoch' }]);
    gate.open();
    const again = stuckIn === 0 ? [] : ['Reset. 1'];
    expect(await planAfter(handle)).toEqual(['Own.', ...again, ...planned(['Reset.'], last)]);
  });

  test('a child that is terminated: its entry fails, its siblings continue, and its writes are kept', async () => {
    const gate = createGate();
    const { handle, asked } = await play([sharing('Calm.', 'Held.'), heldBy(gate, 2)]);
    await asking(asked, 'Held.', 1);
    const children = await delegationsOf(harness.client, handle, 2);
    await harness.client.workflow.getHandle(children[1]!.workflowId).terminate('test');
    expect(await planAfter(handle)).toEqual(['Calm. 1', 'Calm. 2', 'Held. 1', 'Own.']);
    gate.open();
    expect(told(asked).text).toContain('1 succeeded, 1 failed.');
    expect(resultsOf(told(asked))).toMatchObject([
      { success: true },
      { success: false, error: expect.stringContaining('terminated') as unknown },
    ]);
  });

  test('a parent that is reset in the middle of a batch: host and children are adopted', async () => {
    const gate = createGate();
    const { handle, asked } = await play([sharing('Quick.', 'Held.'), heldBy(gate, 2)]);
    const [quick, held] = await delegationsOf(harness.client, handle, 2);
    await asking(asked, 'Held.', 1);
    await until(async () => ((await statusOf(quick!.workflowId)) === 'COMPLETED' ? true : undefined));
    const host = await hostOf(harness.client, handle);
    const again = await reset(harness.client, { ...handle, runId: handle.firstExecutionRunId }, host.task);
    await until(async () => {
      const { raw } = await harness.client.workflow.getHandle(handle.workflowId, again).describe();
      return raw.pendingActivities?.some(({ activityType }) => activityType?.name === 'awaitDelegation')
        ? true
        : undefined;
    });
    gate.open();
    expect(await planAfter(handle, again)).toEqual(['Own.', ...planned(['Quick.', 'Held.'], 2)].sort());
    expect(await statusOf(held!.workflowId, held!.runId)).toBe('COMPLETED');
    expect(await statusOf(host.workflowId, host.runId)).toBe('COMPLETED');
    expect(asked.filter((call) => depthOf(call) === 1)).toHaveLength(6);
  });

  test('a parent that is reset after the batch: the finished host and children are reused', async () => {
    const { handle, asked } = await play([sharing('A.', 'B.'), planner(2)]);
    const plan = await planAfter(handle);
    expect(plan).toEqual(['Own.', ...planned(['A.', 'B.'], 2)].sort());
    const calls = asked.length;
    const host = await hostOf(harness.client, handle);
    const again = await reset(harness.client, { ...handle, runId: handle.firstExecutionRunId }, host.task);
    expect(await planAfter(handle, again)).toEqual(plan);
    expect(asked).toHaveLength(calls);
    expect((await harness.client.workflow.getHandle(host.workflowId).describe()).runId).toBe(host.runId);
  });

  test('a parent that is cancelled after adopting a host: the host is closed', async () => {
    const gate = createGate();
    const { handle, asked } = await play([sharing('Held.'), heldBy(gate, 2)]);
    await asking(asked, 'Held.', 1);
    const host = await hostOf(harness.client, handle);
    const again = await reset(harness.client, { ...handle, runId: handle.firstExecutionRunId }, host.task);
    const parent = harness.client.workflow.getHandle(handle.workflowId, again);
    await until(async () => {
      const { raw } = await parent.describe();
      const waits = raw.pendingActivities?.find(({ activityType }) => activityType?.name === 'awaitDelegation');
      return (waits?.attempt ?? 0) > 1 ? true : undefined;
    });
    await parent.cancel();
    await parent.result().catch(() => undefined);
    await until(async () => ((await statusOf(host.workflowId)) === 'COMPLETED' ? true : undefined));
    gate.open();
  });

  test('the loss of its host: writers fail, the batch reports it, and the parent continues with its own session', async () => {
    const gate = createGate();
    const child: Script = (call) => (reasonOf(call) === 'Silent.' ? say('Nothing to write.') : heldBy(gate, 2)(call));
    const { handle, asked } = await play([sharing('Silent.', 'Held.'), child]);
    await asking(asked, 'Held.', 1);
    const host = await hostOf(harness.client, handle);
    await harness.client.workflow.getHandle(host.workflowId).terminate('test');
    gate.open();
    expect(await planAfter(handle)).toEqual(['Own.']);
    const { text, isError } = told(asked);
    expect(isError).toBe(true);
    const lost = expect.stringMatching(/^Session\.HostLost: The host of the shared session is not running/) as unknown;
    expect(resultsOf({ text })).toEqual([
      { success: true, output: 'Nothing to write.', error: null },
      { success: false, output: '', error: lost },
    ]);
    expect(text).toMatch(
      /Session\.HostLost: the session shared by the delegations was lost \(it was terminated: test\)/,
    );
  });
});

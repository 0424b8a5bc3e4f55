import {
  createGate,
  type Gate,
  say,
  type Script,
  scriptByTurn,
  type ScriptedCall,
  useTool,
  useTools,
} from '../../../testing/scripted-model';
import { sendUpdate } from '../../../client/operator/send-update';
import { pauseUpdate } from '../../../workflows/messages';
import { batonInProcess } from '../../cli/support/in-process';
import { batch, delegationsOf, hostOf, planOf, reset } from '../../support/batches';
import { depthOf, dispatch } from '../../support/delegation-script';
import { Harness, type RunHandle } from '../../support/harness';
import { treePlayer } from '../../support/tree-player';
import { until } from '../../support/until';

/**
 * A run that is reset and then terminated leaves children that the server does not close: their parent is the execution
 * before the reset.
 */
describe('when a run is terminated after a reset', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'));
  });
  afterAll(() => harness.close());

  const { play } = treePlayer(() => harness, 'dispatch_subagents');
  const tuning = { heartbeatTimeoutMs: 2_000, parentCheckMs: 500 };
  const describing = (workflowId: string, runId?: string) =>
    harness.client.workflow.getHandle(workflowId, runId).describe();
  const untilClosed = (workflowId: string): Promise<string> =>
    until(async () => {
      const { status } = await describing(workflowId);
      return status.name === 'RUNNING' ? undefined : status.name;
    });
  const failureOf = (workflowId: string): Promise<unknown> =>
    harness.client.workflow
      .getHandle(workflowId)
      .result()
      .then(
        () => 'none',
        (error: unknown) => (error instanceof Error ? error.cause : error),
      );
  const atTurn = (asked: readonly ScriptedCall[], turn: number, children: number): Promise<true> =>
    until(() =>
      asked.filter((call) => depthOf(call) === 1 && call.turn === turn).length >= children ? true : undefined,
    );
  const held = (gate: Gate): Script =>
    scriptByTurn(
      useTool('add_plan_steps', { steps: ['Before'] }),
      async () => {
        await gate.opened;
        return useTool('add_plan_steps', { steps: ['After'] });
      },
      say('Done.'),
    );
  /** Resets the run to before its children, waits until it has adopted them, and terminates it. */
  const resetAndTerminate = async (run: RunHandle, children: number): Promise<void> => {
    const [first] = await delegationsOf(harness.client, run, children);
    const again = await reset(harness.client, { ...run, runId: run.firstExecutionRunId }, first!.task);
    await until(async () => {
      const { raw } = await describing(run.workflowId, again);
      const adopted = raw.pendingActivities?.filter(({ activityType }) => activityType?.name === 'awaitDelegation');
      return adopted?.length === children ? true : undefined;
    });
    await harness.client.workflow.getHandle(run.workflowId, again).terminate('test');
  };

  test('the host of its shared session closes with what was written, and a later reset continues from that', async () => {
    const gate = createGate();
    const { handle, asked } = await play(
      [scriptByTurn(useTool('dispatch_subagents', batch(['Held.'])), say('done')), held(gate)],
      { tuning },
    );
    await atTurn(asked, 1, 1);
    const host = await hostOf(harness.client, handle);
    const [child] = await delegationsOf(harness.client, handle, 1);
    await resetAndTerminate(handle, 1);
    expect(await untilClosed(host.workflowId)).toBe('COMPLETED');

    gate.open();
    expect(await untilClosed(child!.workflowId)).toBe('FAILED');
    const { runId } = await describing(handle.workflowId);
    const again = await reset(harness.client, { workflowId: handle.workflowId, runId }, host.task);
    await harness.client.workflow.getHandle(handle.workflowId, again).result();
    expect(await planOf(harness.client, handle.workflowId, again)).toEqual(['After', 'Before', 'Before']);
  });

  test('its delegations end after their turn, or while they are paused, and doctor names them until then', async () => {
    const gate = createGate();
    const delegations = ['Be busy.', 'Be paused.'].map((instructions) => ({
      name: 'dispatch_subagent',
      input: dispatch({ instructions }),
    }));
    const paused = createGate();
    const child: Script = async (call) => {
      if (call.turn === 0) await paused.opened;
      return held(gate)(call);
    };
    const { handle, asked } = await play([scriptByTurn(useTools(delegations), say('done')), child], { tuning });
    const children = await delegationsOf(harness.client, handle, 2);
    await atTurn(asked, 0, 2);
    const [busy, waiting] = children.map(({ workflowId }) => workflowId) as [string, string];
    await sendUpdate(harness.client, waiting, pauseUpdate, {});
    paused.open();
    await atTurn(asked, 1, 1);
    await resetAndTerminate(handle, 2);

    expect(await untilClosed(waiting)).toBe('FAILED');
    expect(await failureOf(waiting)).toMatchObject({ type: 'Delegation.ParentClosed' });
    const env = { BATON_TASK_QUEUE: harness.taskQueue, BATON_STATE_DIR: harness.folder };
    const doctor = () => batonInProcess({ client: harness.client, folder: harness.folder, env }, ['doctor']);
    const found = await until(async () => /! Orphans: .*\n.*/.exec((await doctor()).stdout)?.[0]);
    expect(found).toContain(`${busy} outlived the agent that started it`);
    expect(found).toContain(`baton cancel ${busy.slice('run/'.length)}`);
    gate.open();
    expect(await untilClosed(busy)).toBe('FAILED');
    expect(await failureOf(busy)).toMatchObject({ type: 'Delegation.ParentClosed' });
    // It noticed at the end of the turn that was running, and did not make another one.
    expect(asked.filter((call) => depthOf(call) === 1 && call.turn === 2)).toEqual([]);
  });
});

import { defaultLimits } from '../../../domain/agent';
import {
  createGate,
  hang,
  refuse,
  say,
  type ScriptedCall,
  scriptByTurn,
  useTool,
  useTools,
} from '../../../testing/scripted-model';
import { batch, reasonOf, reset } from '../../support/batches';
import { byDepth, depthOf, dispatch } from '../../support/delegation-script';
import { Harness, type RunHandle } from '../../support/harness';
import { operated } from '../../support/parked';
import { playRelay } from '../../support/relays';
import { historiesOf, replayAll } from '../../support/replay';
import { listAndWork, resetSkills } from '../../support/reset-scenarios';
import { until } from '../../support/until';

interface Delegations {
  /** Workflow ids of the delegations that the agent started. */
  readonly started: readonly string[];
  /** How many were open at the same time, at most, according to the agent's own history. */
  readonly most: number;
}

describe('the concurrency limit of an agent', () => {
  let harness: Harness;
  const asked: ScriptedCall[] = [];
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'), { skills: resetSkills });
  });
  afterAll(() => harness.close());
  beforeEach(() => (asked.length = 0));

  const limits = { ...defaultLimits, maxParallel: 2 };

  /** Waits until the agent has started this many delegations, and returns their workflow ids. */
  const startedBy = (handle: Pick<RunHandle, 'fetchHistory'>, count: number): Promise<readonly string[]> =>
    until(async () => {
      const { started } = await delegationsOf(handle);
      return started.length >= count ? started : undefined;
    });

  const delegationsOf = async (handle: Pick<RunHandle, 'fetchHistory'>): Promise<Delegations> => {
    const { events } = await handle.fetchHistory();
    const started: string[] = [];
    let open = 0;
    let most = 0;
    for (const event of events ?? []) {
      const asked = event.startChildWorkflowExecutionInitiatedEventAttributes;
      const ended = event.childWorkflowExecutionCompletedEventAttributes;
      if (asked?.workflowType?.name === 'delegationWorkflow') {
        started.push(asked.workflowId ?? '');
        most = Math.max(most, (open += 1));
      }
      if (ended?.workflowType?.name === 'delegationWorkflow') open -= 1;
    }
    return { started, most };
  };

  test('holds for the parallel items of a relay, of which there are more than it allows', async () => {
    const items = Array.from({ length: 9 }, (_, index) => `item ${index + 1}`);
    harness.model.setScript(({ systemText }) =>
      systemText.includes('List them.') ? say(JSON.stringify(items)) : say('Done.'),
    );
    const handle = await playRelay(harness, listAndWork, { goal: 'List them.', limits });
    await handle.result();
    const { started, most } = await delegationsOf(handle);
    expect(most).toBe(2);
    expect(started).toHaveLength(1 + items.length);
  });

  test.each([1, 2])('holds across the batches, single delegations and skills of one reply: %d', async (maxParallel) => {
    const names = ['first', 'second', 'third'];
    harness.model.setScript((call) => {
      asked.push(call);
      if (call.systemText.includes('Answer.')) return say('Skilled.');
      if (depthOf(call) > 0) return say('Done.');
      if (call.turn > 0) return say('All done.');
      return useTools([
        { name: 'dispatch_subagents', input: batch(['One.', 'Two.', 'Three.']) },
        ...names.map((name) => ({ name: 'dispatch_subagent', input: dispatch({ instructions: `Do the ${name}.` }) })),
        ...names.map((goal) => ({ name: 'dispatch_skill', input: { skill: 'worker', input: { goal } } })),
        { name: 'dispatch_subagents', input: batch(['Four.', 'Five.', 'Six.']) },
      ]);
    });
    const handle = await harness.startRun({ limits: { ...limits, maxParallel } });
    await handle.result();
    const { started, most } = await delegationsOf(handle);
    expect(started).toHaveLength(12);
    expect(most).toBe(maxParallel);
    const failed = asked.at(-1)?.toolResults.filter(({ isError }) => isError);
    expect(failed).toEqual([]);
    if (maxParallel > 1) return;
    // First come, first served: these calls queue in their order, while the batches are still being prepared.
    const order = asked.flatMap(({ systemText }) => /Do the (\w+)\./.exec(systemText)?.[1] ?? []);
    expect(order).toEqual(names);
  });

  /** Whether an agent has been answered and waits until it may continue. */
  const waitsForItsTurn = async (workflowId: string): Promise<true | undefined> =>
    (await operated(harness.client, workflowId).snapshot()).waitingFor.startsWith('its turn') || undefined;

  test('holds for a delegation that continues after an operator has answered: it queues behind the others', async () => {
    const gate = createGate();
    harness.model.setScript(async (call) => {
      asked.push(call);
      const reason = reasonOf(call);
      if (reason === 'Parked' && call.attempt === 0) return refuse();
      if (reason === 'Slow') await gate.opened;
      if (depthOf(call) > 0) return say('Done.');
      return call.turn > 0 ? say('All done.') : useTool('dispatch_subagents', batch(['Parked', 'Slow', 'Next']));
    });
    const handle = await harness.startRun({ limits: { ...limits, maxParallel: 1 }, onFailure: 'hold' });
    const parked = (await startedBy(handle, 1))[0]!;
    const operator = operated(harness.client, parked);
    const { id } = await operator.incident();
    // It releases its place, so that the next one starts.
    await until(() => asked.find((call) => reasonOf(call) === 'Slow'));
    await operator.decide({ incident: id, action: 'retry' });
    await until(() => waitsForItsTurn(parked));
    expect(asked.filter((call) => reasonOf(call) === 'Parked')).toHaveLength(1);
    gate.open();
    await handle.result();
    const order = asked.filter((call) => depthOf(call) > 0).map(reasonOf);
    expect(order).toEqual(['Parked', 'Slow', 'Next', 'Parked']);
  });

  test('holds for a delegation that was closed from outside and that an operator has started again', async () => {
    const gate = createGate();
    harness.model.setScript(async (call) => {
      asked.push(call);
      const reason = reasonOf(call);
      if (reason === 'Closed' && asked.filter((other) => reasonOf(other) === 'Closed').length === 1) return hang();
      if (reason === 'Slow') await gate.opened;
      if (depthOf(call) > 0) return say('Done.');
      return call.turn > 0 ? say('All done.') : useTool('dispatch_subagents', batch(['Closed', 'Slow']));
    });
    const handle = await harness.startRun({ limits: { ...limits, maxParallel: 1 }, onFailure: 'hold' });
    const [closed] = await startedBy(handle, 1);
    await until(() => asked.find((call) => reasonOf(call) === 'Closed'));
    await harness.client.workflow.getHandle(closed!).terminate('test');
    const operator = operated(harness.client, handle.workflowId);
    const { id } = await operator.incident();
    await until(() => asked.find((call) => reasonOf(call) === 'Slow'));
    await operator.decide({ incident: id, action: 'retry' });
    // Its model would be called within a moment if it were started.
    await until(async () => ((await operator.snapshot()).incidents.length === 0 ? true : undefined));
    expect((await delegationsOf(handle)).started).toHaveLength(2);
    gate.open();
    await handle.result();
    expect((await delegationsOf(handle)).started).toEqual([closed, expect.any(String), closed]);
  });

  test('holds after a reset for delegations that waited for an operator when they were closed with their parent', async () => {
    const gate = createGate();
    harness.model.setScript(async (call) => {
      asked.push(call);
      const calls = asked.filter((other) => reasonOf(other) === reasonOf(call)).length;
      if (depthOf(call) === 0) return call.turn > 0 ? say('All done.') : useTool('dispatch_subagents', batch(reasons));
      if (calls === 1 && reasonOf(call) !== 'Last') return refuse();
      await gate.opened;
      return say('Done.');
    });
    const reasons = ['First', 'Second', 'Last'];
    const handle = await harness.startRun({ limits: { ...limits, maxParallel: 1 }, onFailure: 'hold' });
    const { workflowId, firstExecutionRunId: runId } = handle;
    await until(() => asked.find((call) => reasonOf(call) === 'Last'));
    const root = operated(harness.client, workflowId);
    await until(async () => ((await root.snapshot()).parkedBelow === 2 ? true : undefined));
    await handle.terminate('test');
    const again = await reset(harness.client, { workflowId, runId });
    await until(() => asked.filter((call) => reasonOf(call) === 'First').length > 1 || undefined);
    const reached = harness.client.workflow.getHandle(workflowId, again);
    expect(new Set((await delegationsOf(reached)).started).size).toBe(1);
    expect((await root.snapshot()).parkedBelow).toBe(0);
    gate.open();
    await reached.result();
    expect(new Set((await delegationsOf(reached)).started).size).toBe(3);
    await replayAll(await historiesOf(harness.client, workflowId, runId));
  });

  test('does not keep a cancelled agent from ending while a delegation waits for its turn', async () => {
    harness.model.setScript((call) => {
      asked.push(call);
      return byDepth(
        scriptByTurn(
          useTools([
            { name: 'dispatch_subagent', input: dispatch({ instructions: 'Be slow.' }) },
            { name: 'dispatch_subagent', input: dispatch({ instructions: 'Wait.' }) },
          ]),
          say('never'),
        ),
        () => hang(),
      )(call);
    });
    const handle = await harness.startRun({ limits: { ...limits, maxParallel: 1 } });
    await until(() => asked.find((call) => depthOf(call) === 1));
    await handle.cancel();
    await expect(handle.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
    expect((await delegationsOf(handle)).started).toHaveLength(1);
  });
});

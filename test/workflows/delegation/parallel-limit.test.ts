import { defaultLimits } from '../../../domain/agent';
import { hang, say, type ScriptedCall, scriptByTurn, useTools } from '../../../testing/scripted-model';
import { batch } from '../../support/batches';
import { byDepth, depthOf, dispatch } from '../../support/delegation-script';
import { Harness, type RunHandle } from '../../support/harness';
import { playRelay } from '../../support/relays';
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

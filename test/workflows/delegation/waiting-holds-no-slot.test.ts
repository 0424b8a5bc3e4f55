import type { Client } from '@temporalio/client';
import { getEventListeners } from 'node:events';
import { awaitChild } from '../../../activities/delegation/await-child';
import { defaultLimits } from '../../../domain/agent';
import { awaitDelegationActivity } from '../../../domain/delegation';
import { createGate, say, scriptByTurn, type ScriptedCall, useTool } from '../../../testing/scripted-model';
import { quietEnvironment } from '../../support/activity-environment';
import { batch, childrenOf, hostOf, planned, planner, planOf, reasonOf, reset } from '../../support/batches';
import { byDepth, depthOf } from '../../support/delegation-script';
import { Harness } from '../../support/harness';
import { until } from '../../support/until';

const children = 60;
/** A busy machine takes minutes to start them all. */
const patienceMs = 150_000;
jest.setTimeout(600_000);

/** Looks at a running child many times. Each look must end by itself, and listen to the cancellation no longer. */
async function expectLooksLeaveNothing(client: Client, workflowId: string): Promise<void> {
  const { memo, parentExecution } = await client.workflow.getHandle(workflowId).describe();
  const child = { workflowId, parent: parentExecution!.workflowId!, identity: String(memo?.['identity']) };
  const environment = quietEnvironment();
  const listening = (): number => getEventListeners(environment.context.cancellationSignal, 'abort').length;
  const look = (): Promise<unknown> => awaitChild({ client }, child, awaitDelegationActivity.result);
  const before = listening();
  for (let times = 0; times < 20; times += 1)
    await expect(environment.run(look)).rejects.toMatchObject({ type: 'Delegation.Running' });
  expect(listening()).toBe(before);
}

/** One worker with far fewer slots for control work than there are adopted children. */
describe('a reset agent with many running delegations', () => {
  let harness: Harness;
  const asked: ScriptedCall[] = [];
  const gate = createGate();
  const reasons = Array.from({ length: children }, (_, index) => `Part ${index + 1}.`);
  /** Some write to the shared session, whose host is adopted as well. */
  const writers = reasons.slice(0, 10);
  beforeAll(async () => {
    const script = byDepth(
      scriptByTurn(useTool('dispatch_subagents', batch(reasons)), say('All done.')),
      async (call) => {
        await gate.opened;
        return writers.includes(reasonOf(call)) ? planner(1)(call) : say('Done.');
      },
    );
    harness = await Harness.start(
      (call) => {
        asked.push(call);
        return call.systemText.includes('Unrelated.') ? say('Hello.') : script(call);
      },
      { slots: { model: children + 5, tool: 4, control: 4 }, replayed: false },
    );
  });
  afterAll(() => harness.close());

  test('adopts them without occupying slots: an unrelated run goes on, and then the agent ends', async () => {
    const run = await harness.startRun({
      limits: { ...defaultLimits, maxParallel: children },
      model: { name: 'claude-sonnet-5-5', maxTokens: 60_000, window: 1_000_000 },
      tuning: {},
    });
    await until(() => (asked.filter((call) => depthOf(call) === 1).length >= children ? true : undefined), patienceMs);
    const { task } = await hostOf(harness.client, run);
    const runId = await reset(harness.client, { workflowId: run.workflowId, runId: run.firstExecutionRunId }, task);
    const again = harness.client.workflow.getHandle(run.workflowId, runId);
    await until(async () => {
      const { raw } = await again.describe();
      const adopting = raw.pendingActivities?.filter(
        ({ activityType, attempt }) => activityType?.name === 'awaitDelegation' && (attempt ?? 0) > 1,
      );
      return adopting?.length === children ? true : undefined;
    }, patienceMs);

    const [, child] = await childrenOf(harness.client, run.workflowId, run.firstExecutionRunId);
    await expectLooksLeaveNothing(harness.client, child!.workflowId);

    const unrelated = await harness.startRun({ goal: 'Unrelated.' });
    expect(await unrelated.result()).toMatchObject({ answer: { text: 'Hello.' } });

    gate.open();
    expect(await again.result()).toMatchObject({ answer: { text: 'All done.' } });
    expect(await planOf(harness.client, run.workflowId, runId)).toEqual(planned(writers, 1));
    expect(asked.filter((call) => depthOf(call) === 1)).toHaveLength(children + writers.length);
  });
});

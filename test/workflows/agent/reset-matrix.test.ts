import {
  createGate,
  fail,
  scriptByTurn,
  say,
  useTool,
  type Script,
  type ScriptedCall,
} from '../../../testing/scripted-model';
import { delegationsOf, reset, type StartedChild } from '../../support/batches';
import { byDepth, depthOf, dispatch } from '../../support/delegation-script';
import { Harness, type RunHandle, type RunWishes } from '../../support/harness';
import { operated } from '../../support/parked';
import { until } from '../../support/until';

const heard = (call: ScriptedCall): ReturnType<typeof say> => say(`Heard: ${call.toolResults[0]?.text ?? 'nothing'}`);

/** What a reset does to an agent and its delegations; docs/decisions/resets.md lists all cases. */
describe('a reset', () => {
  let harness: Harness;
  let asked: ScriptedCall[];
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'));
  });
  afterAll(() => harness.close());

  const start = async (
    child: Script,
    last: Script = heard,
    wishes: RunWishes = {},
  ): Promise<{ run: RunHandle; child: StartedChild }> => {
    asked = [];
    harness.model.setScript((call) => {
      asked.push(call);
      return byDepth(scriptByTurn(useTool('dispatch_subagent', dispatch()), last), child)(call);
    });
    const run = await harness.startRun(wishes);
    const [first] = await delegationsOf(harness.client, run, 1);
    return { run, child: first! };
  };
  const ofChild = (): ScriptedCall[] => asked.filter((call) => depthOf(call) === 1);
  /** The workflow task in which the parent recorded the start of its child. */
  const taskAfterStart = (run: RunHandle): Promise<StartedChild['task']> =>
    until(async () => {
      const { events } = await run.fetchHistory();
      const started = events?.findIndex((event) => event.childWorkflowExecutionStartedEventAttributes) ?? -1;
      return events?.slice(started).find((event) => event.workflowTaskCompletedEventAttributes)?.eventId ?? undefined;
    });
  const resetRun = async ({ workflowId, firstExecutionRunId: runId }: RunHandle, task: StartedChild['task']) =>
    harness.client.workflow.getHandle(workflowId, await reset(harness.client, { workflowId, runId }, task));
  const isAdopted = async (handle: Awaited<ReturnType<typeof resetRun>>): Promise<boolean> => {
    const { events } = await handle.fetchHistory();
    return (events ?? []).some(
      (one) => one.activityTaskScheduledEventAttributes?.activityType?.name === 'awaitDelegation',
    );
  };

  test('of a parent to a point after the start of a running child keeps the child, which the server reconnects', async () => {
    const gate = createGate();
    const { run } = await start(async () => {
      await gate.opened;
      return say('Child done.');
    });
    await until(() => ofChild()[0]);
    const again = await resetRun(run, await taskAfterStart(run));
    gate.open();
    expect(await again.result()).toMatchObject({
      answer: { text: expect.stringContaining('Heard: Child done.') as unknown },
    });
    expect(ofChild()).toHaveLength(1);
    expect(await isAdopted(again)).toBe(false);
  });

  test('of a parent to a point before the end of a completed child still delivers the result', async () => {
    const gate = createGate();
    const { run } = await start(
      () => say('Child done.'),
      async (call) => {
        await gate.opened;
        return heard(call);
      },
    );
    const task = await taskAfterStart(run);
    await until(() => asked.find((call) => depthOf(call) === 0 && call.turn === 1));
    const again = await resetRun(run, task);
    gate.open();
    expect(await again.result()).toMatchObject({
      answer: { text: expect.stringContaining('Heard: Child done.') as unknown },
    });
    expect(ofChild()).toHaveLength(1);
  });

  test('of a closed child has no effect on the parent, which keeps the first result', async () => {
    const { run, child } = await start(() => say('First life.'));
    const before: unknown = await run.result();
    harness.model.setScript(() => say('Second life.'));
    const again = await reset(harness.client, child);
    await harness.client.workflow.getHandle(child.workflowId, again).result();
    expect(await run.result()).toEqual(before);
    expect((await run.describe()).status.name).toBe('COMPLETED');
  });

  test('of a child that waits for an operator makes it wait again, and the decision goes to its new execution', async () => {
    let isWell = false;
    const { run, child } = await start(
      scriptByTurn(useTool('list_files', {}), () => (isWell ? say('Well again.') : fail(401))),
      heard,
      { onFailure: 'hold' },
    );
    const parked = operated(harness.client, child.workflowId);
    await parked.incident();
    const again = await reset(harness.client, child);
    await until(async () => ((await parked.handle.describe()).runId === again ? true : undefined));
    expect(await parked.incident()).toMatchObject({ id: 'i1', step: 'turn 2' });
    isWell = true;
    await parked.decide({ action: 'retry', incident: 'i1' });
    expect(await run.result()).toMatchObject({
      answer: { text: expect.stringContaining('Heard: Well again.') as unknown },
    });
    // The first turn was paid for only once.
    expect(ofChild().filter(({ turn }) => turn === 0)).toHaveLength(1);
    const root = operated(harness.client, run.workflowId);
    expect((await root.snapshot()).parkedBelow).toBe(0);
  });
});

import { type CallRecord, viewConversation } from '../../../testing/scripted-model';
import { childrenOf, planOf, reset } from '../../support/batches';
import { Harness } from '../../support/harness';
import { newToken, resetScenarios, ResetScript, resetSkills, tokenOf } from '../../support/reset-scenarios';
import { historiesOf, replayAll } from '../../support/replay';
import { until } from '../../support/until';

interface Run {
  readonly token: string;
  readonly workflowId: string;
  readonly runId: string;
  release(): void;
}

const script = new ResetScript();
let harness: Harness;
beforeAll(async () => {
  harness = await Harness.start((call) => script.play(call), { skills: resetSkills, replayed: false });
});
afterAll(() => harness.close());

/**
 * Resets a run to each of its workflow tasks, which are the points that the server accepts: while its delegations run,
 * and after its end. All runs of a scenario take place at the same time.
 */
describe.each(resetScenarios)('resetting $name', (scenario) => {
  const start = async (isHeld: boolean): Promise<Run> => {
    const token = newToken();
    const gate = script.add(token, scenario, isHeld);
    const workflowId = await scenario.start(harness, token);
    const { runId } = await harness.client.workflow.getHandle(workflowId).describe();
    return { token, workflowId, runId, release: () => gate.open() };
  };
  const eventsOf = async ({ workflowId, runId }: Pick<Run, 'workflowId' | 'runId'>) =>
    (await harness.client.workflow.getHandle(workflowId, runId).fetchHistory()).events ?? [];
  const tasksOf = async (run: Run) =>
    (await eventsOf(run)).flatMap((event) => (event.workflowTaskCompletedEventAttributes ? [event.eventId] : []));
  /** The token of each call. Reading it takes long, and every look at a run asks for all of them. */
  const tokens = new WeakMap<CallRecord, string>();
  const callsOf = ({ token }: Run): readonly CallRecord[] =>
    harness.model.calls.filter((call) => {
      const known = tokens.get(call) ?? tokenOf(viewConversation(call.request));
      tokens.set(call, known);
      return known === token;
    });
  const resultOf = ({ workflowId }: Run, runId: string): Promise<unknown> =>
    harness.client.workflow.getHandle(workflowId, runId).result();

  /** Waits until part one has ended, its parent has taken note of that, and part two is at its second call. */
  const inFlight = async (run: Run): Promise<void> => {
    await until(() => (callsOf(run).length >= scenario.callsInFlight ? true : undefined));
    await until(async () => {
      const ended = (await eventsOf(run)).map((event) =>
        event.childWorkflowExecutionCompletedEventAttributes
          ? 'child'
          : event.workflowTaskCompletedEventAttributes
            ? 'task'
            : '',
      );
      const children = ended.filter((one) => one === 'child').length;
      return children === scenario.endedInFlight && ended.lastIndexOf('task') > ended.lastIndexOf('child')
        ? true
        : undefined;
    });
  };
  /** Waits until the new execution waits for the delegation that is held. */
  const waitsAgain = ({ workflowId }: Run, runId: string) =>
    until(async () => {
      const { raw } = await harness.client.workflow.getHandle(workflowId, runId).describe();
      const isTracked = raw.pendingChildren?.some(({ workflowTypeName }) => workflowTypeName === 'delegationWorkflow');
      const isAdopted = raw.pendingActivities?.some(
        ({ activityType, attempt }) => activityType?.name === 'awaitDelegation' && (attempt ?? 0) > 1,
      );
      return isTracked === true || isAdopted === true ? true : undefined;
    });

  const untilClosed = (workflowId: string) =>
    until(async () => {
      const { status } = await harness.client.workflow.getHandle(workflowId).describe();
      return status.name === 'RUNNING' ? undefined : status.name;
    });

  /** Replays the executions before and after the reset of some of the runs, which are similar. */
  const replayed = async (runs: readonly Run[]): Promise<void> => {
    for (const { workflowId, runId } of [runs.at(0), runs.at(-2)].filter((run) => run !== undefined))
      await replayAll(await historiesOf(harness.client, workflowId, runId));
  };

  const expectSound = async (run: Run, again: string): Promise<void> => {
    const digests = callsOf(run).map(({ digest }) => digest);
    expect(digests).toHaveLength(scenario.calls);
    expect(new Set(digests).size).toBe(scenario.calls);
    expect(callsOf(run).every(({ outcome }) => outcome === 'answered')).toBe(true);
    const before = await childrenOf(harness.client, run.workflowId, run.runId);
    const after = await childrenOf(harness.client, run.workflowId, again);
    for (const id of new Set([...before, ...after].map(({ workflowId }) => workflowId))) {
      const { status } = await harness.client.workflow.getHandle(id).describe();
      expect([id, status.name]).toEqual([id, 'COMPLETED']);
    }
    if (scenario.isShared)
      expect(await planOf(harness.client, run.workflowId, again)).toEqual(['planned by one', 'planned by two']);
  };

  test('after its end repeats nothing', async () => {
    const first = await start(false);
    await resultOf(first, first.runId);
    const points = (await tasksOf(first)).length;
    expect(points).toBeGreaterThan(4);
    const runs = await Promise.all(
      Array.from({ length: points }, async (_, index) => {
        const run = await start(false);
        const before = await resultOf(run, run.runId);
        const tasks = await tasksOf(run);
        const again = await reset(harness.client, run, tasks[index] ?? tasks.at(-1)!);
        expect(await resultOf(run, again)).toEqual(before);
        await expectSound(run, again);
        return run;
      }),
    );
    await replayed(runs);
  });

  test('while a delegation runs keeps the delegation, and ends', async () => {
    const first = await start(true);
    await inFlight(first);
    const points = (await tasksOf(first)).length;
    first.release();
    await resultOf(first, first.runId);
    expect(points).toBeGreaterThan(3);
    const runs = await Promise.all(
      Array.from({ length: points }, async (_, index) => {
        const run = await start(true);
        await inFlight(run);
        const tasks = await tasksOf(run);
        const again = await reset(harness.client, run, tasks[index] ?? tasks.at(-1)!);
        await waitsAgain(run, again);
        run.release();
        const result = JSON.stringify(await resultOf(run, again));
        expect(result).toContain('Done two.');
        if (scenario.answersWithAll) expect(result).toContain('Done one.');
        await expectSound(run, again);
        return run;
      }),
    );
    await replayed(runs);
  });

  test.each([
    ['its beginning, so that the delegation is adopted', 0],
    ['its last task, so that the server tracks the delegation', -1],
  ])('and cancelling it then cancels its delegation, with a reset to %s', async (_, point) => {
    const run = await start(true);
    await inFlight(run);
    const again = await reset(harness.client, run, (await tasksOf(run)).at(point));
    await waitsAgain(run, again);
    const handle = harness.client.workflow.getHandle(run.workflowId, again);
    await handle.cancel();
    await expect(handle.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
    const children = await childrenOf(harness.client, run.workflowId, run.runId);
    const ends = await Promise.all(children.map(({ workflowId }) => untilClosed(workflowId)));
    expect(ends).toContain('CANCELLED');
    run.release();
  });
});

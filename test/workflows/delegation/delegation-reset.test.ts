import { randomUUID } from 'node:crypto';
import {
  createGate,
  hang,
  scriptByTurn,
  refuse,
  say,
  useTool,
  type Gate,
  type Script,
  type ScriptedCall,
} from '../../../testing/scripted-model';
import { byDepth, depthOf, dispatch } from '../../support/delegation-script';
import { Harness, type RunHandle } from '../../support/harness';
import { historiesOf, replayAll } from '../../support/replay';
import { until } from '../../support/until';

type Events = NonNullable<Awaited<ReturnType<RunHandle['fetchHistory']>>['events']>;
type EventId = NonNullable<Events[number]['eventId']>;

const delegating = scriptByTurn(
  useTool('list_files', {}),
  useTool('dispatch_subagent', dispatch()),
  (call): ReturnType<typeof say> => say(`Heard: ${call.toolResults[0]?.text ?? 'nothing'}`),
);

describe('resetting a delegating agent', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'));
  });
  afterAll(() => harness.close());

  /**
   * A root that delegates once, and its child with the given script; resolves once the root has requested the
   * delegation.
   */
  const play = async (child: Script): Promise<{ handle: RunHandle; asked: ScriptedCall[] }> => {
    const asked: ScriptedCall[] = [];
    harness.model.setScript((call) => {
      asked.push(call);
      return byDepth(delegating, child)(call);
    });
    return { handle: await harness.startRun(), asked };
  };
  const eventsOf = async (workflowId: string, runId: string): Promise<Events> =>
    (await harness.client.workflow.getHandle(workflowId, runId).fetchHistory()).events ?? [];
  /** Waits for the event in which a workflow requested its child. */
  const delegationIn = (handle: RunHandle) =>
    until(async () => {
      const events = await eventsOf(handle.workflowId, handle.firstExecutionRunId);
      const started = events.find((event) => event.childWorkflowExecutionStartedEventAttributes);
      const asked = events.find((event) => event.startChildWorkflowExecutionInitiatedEventAttributes);
      const child = started?.childWorkflowExecutionStartedEventAttributes?.workflowExecution;
      if (child?.workflowId == null || child.runId == null) return undefined;
      const task = asked!.startChildWorkflowExecutionInitiatedEventAttributes!.workflowTaskCompletedEventId!;
      return { childId: child.workflowId, childRunId: child.runId, task };
    });
  const firstTask = async (workflowId: string, runId: string): Promise<EventId> =>
    (await eventsOf(workflowId, runId)).find((event) => event.workflowTaskCompletedEventAttributes)!.eventId!;
  const reset = async (workflowId: string, runId: string, task: EventId): Promise<string> => {
    const { runId: again } = await harness.client.workflowService.resetWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId, runId },
      workflowTaskFinishEventId: task,
      requestId: randomUUID(),
      reason: 'test',
    });
    return again;
  };
  const resultOf = (workflowId: string, runId: string): Promise<unknown> =>
    harness.client.workflow.getHandle(workflowId, runId).result();
  /** Waits until the server lists this many executions of an id; the list lags behind. */
  const runsOf = (workflowId: string, count: number): Promise<string[]> =>
    until(async () => {
      const runs: string[] = [];
      for await (const { runId } of harness.client.workflow.list({ query: `WorkflowId = "${workflowId}"` })) {
        runs.push(runId);
      }
      return runs.length >= count ? runs : undefined;
    });
  const adoption = (workflowId: string, runId: string): Promise<true> =>
    until(async () => {
      const { raw } = await harness.client.workflow.getHandle(workflowId, runId).describe();
      const waits = raw.pendingActivities?.some(
        ({ activityType, attempt }) => activityType?.name === 'awaitDelegation' && (attempt ?? 0) > 1,
      );
      return waits === true ? true : undefined;
    });
  const held = (gate: Gate): Script =>
    scriptByTurn(useTool('list_files', {}), async () => {
      await gate.opened;
      return say('Held, then done.');
    });

  test.each([
    ['the moment before it', false],
    ['its very beginning', true],
  ])('to %s does not run a finished child again', async (_, toBeginning) => {
    const { handle, asked } = await play(scriptByTurn(useTool('add_note', { text: 'seen' }), say('Looked.')));
    const before: unknown = await handle.result();
    const { childId, childRunId, task } = await delegationIn(handle);
    const beginning = await firstTask(handle.workflowId, handle.firstExecutionRunId);
    const again = await reset(handle.workflowId, handle.firstExecutionRunId, toBeginning ? beginning : task);
    expect(await resultOf(handle.workflowId, again)).toEqual(before);
    expect(asked).toHaveLength(5);
    expect(await runsOf(childId, 1)).toEqual([childRunId]);
  });

  test('to a point before a running child adopts the child: it finishes once, and its result arrives', async () => {
    const gate = createGate();
    const { handle, asked } = await play(held(gate));
    const { childId, childRunId, task } = await delegationIn(handle);
    await until(() => asked[3]);
    const again = await reset(handle.workflowId, handle.firstExecutionRunId, task);
    await adoption(handle.workflowId, again);
    expect((await harness.client.workflow.getHandle(childId).describe()).status.name).toBe('RUNNING');
    gate.open();
    const answer = { answer: { text: expect.stringMatching(/^Heard: Held, then done\./) as unknown } };
    expect(await resultOf(handle.workflowId, again)).toMatchObject(answer);
    expect(asked).toHaveLength(5);
    expect(await runsOf(childId, 1)).toEqual([childRunId]);
  });

  test('runs a failed child again under the same id', async () => {
    const { handle, asked } = await play((call) => (call.attempt === 0 ? refuse() : say('Now I will.')));
    await handle.result();
    expect(asked.at(-1)?.toolResults[0]?.text).toMatch(/^DispatchSubagentError/);
    const { childId, task } = await delegationIn(handle);
    const again = await reset(handle.workflowId, handle.firstExecutionRunId, task);
    const answer = { answer: { text: expect.stringMatching(/^Heard: Now I will\./) as unknown } };
    expect(await resultOf(handle.workflowId, again)).toMatchObject(answer);
    expect(asked.filter((call) => depthOf(call) === 1)).toHaveLength(2);
    expect(new Set(await runsOf(childId, 2)).size).toBe(2);
  });

  test('forwards a cancellation to an adopted child', async () => {
    const { handle, asked } = await play(() => hang({ afterEvents: 3, answer: say('An answer that never ends') }));
    const { childId, task } = await delegationIn(handle);
    const call = await until(() => asked[2]);
    const again = await reset(handle.workflowId, handle.firstExecutionRunId, task);
    await adoption(handle.workflowId, again);
    const parent = harness.client.workflow.getHandle(handle.workflowId, again);
    const from = Date.now();
    await parent.cancel();
    await parent.result().catch(() => undefined);
    expect(Date.now() - from).toBeLessThan(10_000);
    expect((await parent.describe()).status.name).toBe('CANCELLED');
    expect((await harness.client.workflow.getHandle(childId).describe()).status.name).toBe('CANCELLED');
    expect((await harness.model.waitForOutcome(call.index)).outcome).toBe('aborted');
  });

  test('is not needed when a running child is reset: its result still arrives', async () => {
    const { handle, asked } = await play(
      scriptByTurn(useTool('list_files', {}), (call) =>
        call.attempt === 0 ? hang({ afterEvents: 3, answer: say('An answer that never ends') }) : say('Started over.'),
      ),
    );
    const { childId, childRunId } = await delegationIn(handle);
    await until(() => asked[3]);
    await reset(childId, childRunId, await firstTask(childId, childRunId));
    const answer = { answer: { text: expect.stringMatching(/^Heard: Started over\./) as unknown } };
    expect(await handle.result()).toMatchObject(answer);
    // Its first reply is reused; only the call in progress is repeated.
    expect(asked.filter((call) => depthOf(call) === 1).map(({ turn }) => turn)).toEqual([0, 1, 1]);
    await replayAll(await historiesOf(harness.client, childId));
  });

  test('reports to the model that another workflow has the id of its child, and continues', async () => {
    const { handle, asked } = await play(scriptByTurn(say('Looked.')));
    await handle.result();
    const { childId, task } = await delegationIn(handle);
    const foreign = await harness.client.workflow.start('delegationWorkflow', {
      workflowId: childId,
      taskQueue: `nobody-${randomUUID()}`,
      args: [{}],
    });
    const again = await reset(handle.workflowId, handle.firstExecutionRunId, task);
    expect(await resultOf(handle.workflowId, again)).toMatchObject({ turns: 3 });
    expect(asked.at(-1)?.toolResults[0]).toMatchObject({ isError: true });
    expect(asked.at(-1)?.toolResults[0]?.text).toMatch(/^DispatchSubagentError: .*Delegation\.Other/);
    expect((await foreign.describe()).status.name).toBe('RUNNING');
    await foreign.terminate();
  });
});

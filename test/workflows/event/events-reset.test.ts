import { randomUUID } from 'node:crypto';
import type { RunEvent } from '../../../client/event/record';
import { createGate, hang, scriptByTurn, refuse, say, useTool, type Script } from '../../../testing/scripted-model';
import { dispatch } from '../../support/delegation-script';
import { collectEvents, kindsOf, notesIn, withoutCursors } from '../../support/events';
import { Harness, type RunHandle } from '../../support/harness';
import { treePlayer } from '../../support/tree-player';
import { until } from '../../support/until';

const note = (text: string): ReturnType<typeof useTool> => useTool('add_note', { text });
const root = scriptByTurn(note('before'), useTool('dispatch_subagent', dispatch()), note('after'), say('done'));

describe('the events of a run that was reset or terminated', () => {
  let harness: Harness;
  const { play } = treePlayer(() => harness, 'dispatch_subagent');
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'));
  });
  afterAll(() => harness.close());

  const texts = (events: readonly RunEvent[]): string[] => notesIn(events).map(({ text }) => text);
  /** Resets to a point before the root requested its child. */
  const resetBeforeChild = async ({ workflowId, firstExecutionRunId: runId }: RunHandle): Promise<string> => {
    const { events } = await harness.client.workflow.getHandle(workflowId, runId).fetchHistory();
    const asked = events?.find((event) => event.startChildWorkflowExecutionInitiatedEventAttributes);
    const { runId: again } = await harness.client.workflowService.resetWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId, runId },
      workflowTaskFinishEventId:
        asked!.startChildWorkflowExecutionInitiatedEventAttributes!.workflowTaskCompletedEventId!,
      requestId: randomUUID(),
      reason: 'test',
    });
    return again;
  };
  const expectExactRests = async (handle: RunHandle, all: readonly RunEvent[]): Promise<void> => {
    for (const [index, { cursor }] of all.entries()) {
      const rest = await collectEvents(harness.client, handle, { cursor: cursor! });
      expect(withoutCursors(rest)).toEqual(withoutCursors(all.slice(index + 1)));
    }
  };
  const playWithChild = (child: Script): ReturnType<typeof play> => play([root, child]);

  test('continue after a reset: copied events are not repeated, and the running child is adopted', async () => {
    const gate = createGate();
    const { handle, asked } = await playWithChild(
      scriptByTurn(note('child'), async () => {
        await gate.opened;
        return say('Held, then done.');
      }),
    );
    const following = collectEvents(harness.client, handle, { follow: true });
    await until(() => asked[3]);
    const again = await resetBeforeChild(handle);
    gate.open();
    await harness.client.workflow.getHandle(handle.workflowId, again).result();
    const events = await collectEvents(harness.client, handle);
    expect(texts(events)).toEqual(['before', 'child', 'after']);
    expect(kindsOf(events, /^delegation\.|reset|terminated/)).toEqual({
      'agent.terminated': 1,
      'agent.reset': 1,
      'delegation.started': 1,
      'delegation.adopted': 1,
      'delegation.completed': 1,
    });
    expect(kindsOf(await following, /./)).toEqual(kindsOf(events, /./));
    await expectExactRests(handle, events);
  });

  test('continue after a reset of a run that had ended, without repeating its finished child', async () => {
    const { handle } = await playWithChild(scriptByTurn(note('child'), say('Done.')));
    await handle.result();
    const before = await collectEvents(harness.client, handle);
    const again = await resetBeforeChild(handle);
    await harness.client.workflow.getHandle(handle.workflowId, again).result();
    const events = await collectEvents(harness.client, handle);
    expect(texts(events)).toEqual(['before', 'child', 'after', 'after']);
    expect(kindsOf(events, /^agent\.(started|completed|reset)$/)).toEqual({
      'agent.started': 2,
      'agent.completed': 3,
      'agent.reset': 1,
    });
    const rest = await collectEvents(harness.client, handle, { cursor: before.at(-1)!.cursor! });
    expect(withoutCursors([...before, ...rest])).toEqual(withoutCursors(events));
    await expectExactRests(handle, events);
  });

  test('show both executions of a failed child that a reset starts again', async () => {
    let lives = 0;
    const { handle } = await playWithChild(({ turn }) => {
      if (turn === 0) lives += 1;
      if (turn === 0) return note(`life ${lives}`);
      return lives === 1 ? refuse() : say('Done.');
    });
    await handle.result();
    const again = await resetBeforeChild(handle);
    await harness.client.workflow.getHandle(handle.workflowId, again).result();
    const events = await collectEvents(harness.client, handle);
    expect(texts(events)).toEqual(['before', 'life 1', 'after', 'life 2', 'after']);
    expect(kindsOf(events, /^delegation\./)).toEqual({
      'delegation.started': 2,
      'delegation.failed': 1,
      'delegation.completed': 1,
    });
    await expectExactRests(handle, events);
  });

  test('end with the ends of all agents when a run is terminated', async () => {
    const { handle, asked } = await playWithChild(
      scriptByTurn(note('child'), hang({ afterEvents: 1, answer: say('…') })),
    );
    const following = collectEvents(harness.client, handle, { follow: true });
    await until(() => asked[3]);
    await handle.terminate('enough');
    const events = await following;
    expect(kindsOf(events, /terminated/)).toEqual({ 'agent.terminated': 2 });
    expect(events).toContainEqual(expect.objectContaining({ kind: 'agent.terminated', reason: 'enough' }));
  });
});

import type { RunEvent } from '../../../client/event/record';
import { runIdOf } from '../../../domain/kernel';
import { say, scriptByTurn, useTool, useTools } from '../../../testing/scripted-model';
import { byDepth, dispatch } from '../../support/delegation-script';
import { collectEvents, withoutCursors } from '../../support/events';
import { Harness, type RunHandle } from '../../support/harness';

const note = (text: string): { name: string; input: object } => ({ name: 'add_note', input: { text } });

/** Turns whose calls run inside, outside, and both; with changes that the session refuses, and errors of tools. */
const root = scriptByTurn(
  useTools([
    { name: 'add_plan_steps', input: { steps: ['Look around'] } },
    { name: 'update_plan_step', input: { id: 'S099', status: 'done' } },
    note('first'),
  ]),
  useTools([note('before'), { name: 'no_such_tool', input: {} }, { name: 'read_artifact', input: { name: 'none' } }]),
  useTools([note('beside'), { name: 'dispatch_subagent', input: dispatch() }, note('after')]),
  useTool('dispatch_subagents', {
    delegations: ['A', 'B'].map((reason) => ({
      reason,
      expected_result: 'A word.',
      may_delegate_further: 'no',
      recap_lines: [`Do this: ${reason}`],
    })),
  }),
  useTool('write_artifact', { name: 'REPORT.md', content: 'It is done.' }),
  say('done'),
);
/** Notes of a delegation don't name it: those of different agents come in any order. */
const child = scriptByTurn(useTools([note('one'), note('two')]), say('Done.'));

/** Makes agents continue as new several times. */
const tuning = { heartbeatTimeoutMs: 2_000, turnsPerExecution: 2 };

describe('the events of a run whose tools run inside its turns', () => {
  let harness: Harness;
  let inside: RunHandle;
  let outside: RunHandle;
  let events: readonly RunEvent[];
  beforeAll(async () => {
    harness = await Harness.start(byDepth(root, child));
    inside = await harness.startRun({ tuning });
    outside = await harness.startRun({ tuning: { ...tuning, toolsInside: false } });
    await Promise.all([inside.result(), outside.result()]);
    events = await collectEvents(harness.client, inside, harness);
  });
  afterAll(() => harness.close());

  test('are those of the same run with an activity for each tool, except for times', async () => {
    const [taken, expected] = [
      byAgent(events, inside),
      byAgent(await collectEvents(harness.client, outside, harness), outside),
    ];
    expect(taken).toEqual(expected);
    expect(Object.keys(taken)).toHaveLength(1 + 1 + 2 + 1);
    expect(events).toContainEqual(expect.objectContaining({ kind: 'session.event', status: 'failed' }));
    expect([await activitiesOf(inside), await activitiesOf(outside)]).toEqual([
      expect.not.arrayContaining(['executeTool']),
      expect.arrayContaining(['executeTool']),
    ]);
  });

  /** Names of the activities of a root's first execution. */
  const activitiesOf = async ({ workflowId, firstExecutionRunId }: RunHandle): Promise<unknown[]> => {
    const { events: history } = await harness.client.workflow.getHandle(workflowId, firstExecutionRunId).fetchHistory();
    return (history ?? []).flatMap((event) => event.activityTaskScheduledEventAttributes?.activityType?.name ?? []);
  };

  test('have times in the order of the events of their agent', () => {
    const own = events.filter(({ agent }) => agent === inside.workflowId);
    const times = own.map(({ at }) => at);
    expect(times).toEqual([...times].sort());
  });

  test('continue from any cursor with exactly the rest', async () => {
    const tried = events.map((_, index) => index).filter((index) => index < 12 || index % 5 === 0);
    for (const index of tried) {
      const rest = await collectEvents(harness.client, inside, {
        cursor: events[index]!.cursor!,
        store: harness.store,
      });
      expect(withoutCursors(rest)).toEqual(withoutCursors(events.slice(index + 1)));
    }
  });
});

/** Returns the events of each agent, without what differs from run to run: times, ids, and what happens in any order. */
function byAgent(events: readonly RunEvent[], { workflowId }: RunHandle): Record<string, string[]> {
  const names = new Map<string, string>([[runIdOf(workflowId) ?? '', 'RUN']]);
  for (const event of events) {
    if (event.kind === 'delegation.started') names.set(event.delegationId, `<${event.headline}>`);
  }
  const renamed = (text: string): string => [...names].reduce((all, [id, name]) => all.replaceAll(id, name), text);
  const found: Record<string, Record<string, unknown>[]> = {};
  for (const { at: _at, cursor: _cursor, ...event } of events) {
    const isHost = event.agent.includes('/session-');
    if (isHost && event.kind !== 'session.event') continue;
    const plain = JSON.parse(renamed(JSON.stringify(event))) as Record<string, unknown>;
    const { execution: _execution, callId: _callId, startedAt: _startedAt, ms: _ms, ...shown } = plain;
    if (isHost) delete shown['version'];
    (found[renamed(event.agent)] ??= []).push(shown);
  }
  return Object.fromEntries(Object.entries(found).map(([agent, list]) => [agent, inOrder(agent, list)]));
}

/**
 * Sorts what may happen in any order: writes of several agents to a shared session and, between two turns, the ends of
 * calls, and delegations. Changes of an agent's own session are in the order of its calls.
 */
function inOrder(agent: string, list: readonly Record<string, unknown>[]): string[] {
  const text = (event: Record<string, unknown>): string => JSON.stringify(event);
  if (agent.includes('/session-')) return list.map(text).sort();
  const ordered: string[] = [];
  let others: string[] = [];
  for (const event of list) {
    const { kind } = event;
    const isOrdered = kind === 'turn' || String(kind).startsWith('agent.');
    if (isOrdered) ordered.push(...others.sort());
    if (isOrdered) others = [];
    if (isOrdered || (kind === 'session.event' && event['status'] !== 'wanted')) ordered.push(text(event));
    else others.push(text(event));
  }
  return [...ordered, ...others.sort()];
}

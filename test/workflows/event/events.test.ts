import type { RunEvent } from '../../../client/event/record';
import { scriptByTurn, refuse, say, useTool, useTools, type ScriptedCall } from '../../../testing/scripted-model';
import { dispatch } from '../../support/delegation-script';
import { collectEvents, kindsOf, notesIn, withoutCursors } from '../../support/events';
import { Harness, type RunHandle } from '../../support/harness';
import { treePlayer } from '../../support/tree-player';

const item = (reason: string): Record<string, unknown> => ({
  reason,
  expected_result: 'A word.',
  may_delegate_further: 'no',
  recap_lines: [`Do this: ${reason}`],
});
/** Returns which delegation of the batch a call belongs to. */
const nameOf = ({ systemText }: ScriptedCall): string =>
  /\*\*Reason\*\* – (A|B|Failing)$/m.exec(systemText)?.[1] ?? 'alone';
const note = (text: string): ReturnType<typeof useTool> => useTool('add_note', { text });

/**
 * Adds notes, one of them by a single delegation, then dispatches a batch of three, of which one fails after its first
 * note.
 */
const root = scriptByTurn(
  useTools([
    { name: 'add_note', input: { text: 'root 1' } },
    { name: 'update_plan_step', input: { id: 'S099', status: 'done' } },
    { name: 'no_such_tool', input: {} },
    { name: 'add_note', input: { text: 'root 2' } },
  ]),
  useTool('dispatch_subagent', dispatch()),
  useTool('dispatch_subagents', { delegations: ['A', 'B', 'Failing'].map(item) }),
  note('root 3'),
  say('done'),
);
const child = (call: ScriptedCall): ReturnType<typeof say> => {
  if (nameOf(call) === 'Failing' && call.turn > 0) return refuse();
  return call.turn > 1 ? say('Done.') : note(`${nameOf(call)} ${call.turn + 1}`);
};
const written = ['root 1', 'root 2', 'alone 1', 'alone 2', 'A 1', 'A 2', 'B 1', 'B 2', 'Failing 1', 'root 3'];
/** Makes agents and the session host continue as new several times. */
const tuning = { heartbeatTimeoutMs: 2_000, turnsPerExecution: 2, requestsPerHost: 2 };

const closed = /^(agent|session)\.(completed|failed|cancelled|terminated|timedOut)$/;
const delegated = /^(delegation\.(completed|failed|cancelled|terminated|timedOut)|session\.(returned|lost))$/;
const childOf = (event: RunEvent): string | undefined =>
  'child' in event ? event.child : 'host' in event ? event.host : undefined;

/**
 * Checks that a parent's event about a child comes before the child's own first event, and that about its end after its
 * last.
 */
const expectFamilyOrder = (events: readonly RunEvent[]): void => {
  const agents = new Set(events.map(({ agent }) => agent));
  for (const workflowId of [...agents].slice(1)) {
    const own = events.flatMap(({ agent }, index) => (agent === workflowId ? [index] : []));
    const close = events.findIndex(({ agent, kind }) => agent === workflowId && closed.test(kind));
    const told = events.findIndex((event) => childOf(event) === workflowId);
    const ended = events.findIndex((event) => childOf(event) === workflowId && delegated.test(event.kind));
    expect(told).toBeGreaterThanOrEqual(0);
    expect(told).toBeLessThan(own[0]!);
    expect(close).toBe(own.at(-1));
    expect(close).toBeLessThan(ended);
  }
};

describe('the events of a run', () => {
  let harness: Harness;
  let handle: RunHandle;
  let all: readonly RunEvent[];
  const { play } = treePlayer(() => harness, 'dispatch_subagents');
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'));
    ({ handle } = await play([root, child], { tuning }));
    await handle.result();
    all = await collectEvents(harness.client, handle);
  });
  afterAll(() => harness.close());

  test('are complete: every note occurs once, and every agent starts and ends', () => {
    expect(
      notesIn(all)
        .map(({ text }) => text)
        .sort(),
    ).toEqual([...written].sort());
    expect(kindsOf(all, /^agent\.(started|completed|failed)$/)).toEqual({
      'agent.started': 5,
      'agent.completed': 4,
      'agent.failed': 1,
    });
    expect(kindsOf(all, /^delegation\./)).toEqual({
      'delegation.started': 4,
      'delegation.completed': 3,
      'delegation.failed': 1,
    });
    expect(all.filter(({ kind }) => kind === 'turn')).toHaveLength(5 + 3 + 3 + 3 + 2);
    expect(kindsOf(all, /continued$/)).toEqual({
      'agent.continued': 5,
      'session.continued': expect.any(Number) as unknown,
    });
  });

  test('show the result of each change, and the version of the shared session that it created', () => {
    expect(new Set(notesIn(all).map(({ status }) => status))).toEqual(new Set(['applied']));
    const shared = notesIn(all).filter(({ agent }) => agent.includes('/session-'));
    expect(shared.map(({ version }) => version)).toEqual(
      shared.map((_, index) => shared[0]!.version! + 2 * index), // the tool call is an event too
    );
    expect(all.find((event) => event.kind === 'session.event' && event.type === 'planStepChanged')).toMatchObject({
      writer: 'root',
      status: 'failed',
      reason: expect.stringContaining('S099') as unknown,
    });
    expect(all).toContainEqual(expect.objectContaining({ kind: 'tool', tool: 'no_such_tool', isError: true }));
  });

  test("are in order: by time, but a child between its parent's events about it", () => {
    expectFamilyOrder(all);
    expect(all[0]).toMatchObject({ kind: 'agent.started', agent: handle.workflowId });
    expect(all.at(-1)).toMatchObject({ kind: 'agent.completed', agent: handle.workflowId });
    const times = all.map(({ at }) => Date.parse(at));
    // A child starts a moment before its parent is notified.
    times.forEach((time, index) => expect(time).toBeGreaterThan((times[index - 1] ?? 0) - 1_000));
  });

  test('continue from any cursor with exactly the rest', async () => {
    // Trying every cursor would read the whole run once per event, so a sample is tried, with neighbours and both ends.
    const tried = all.map((_, index) => index).filter((index) => index < 4 || index % 7 < 2 || index > all.length - 4);
    for (const index of tried) {
      const rest = await collectEvents(harness.client, handle, { cursor: all[index]!.cursor! });
      expect(withoutCursors(rest)).toEqual(withoutCursors(all.slice(index + 1)));
    }
  });

  test('can be followed live until the run ends', async () => {
    const seen: number[] = [];
    const { handle: running } = await play([root, child], { tuning });
    let ended = Number.POSITIVE_INFINITY;
    void running.result().then(() => (ended = Date.now()));
    const events = await collectEvents(harness.client, running, { follow: true, onEvent: () => seen.push(Date.now()) });
    expect(seen.filter((at) => at < ended).length).toBeGreaterThan(events.length / 2);
    expectFamilyOrder(events);
    const sorted = (list: readonly RunEvent[]): string[] =>
      withoutCursors(list)
        .map((e) => JSON.stringify(e))
        .sort();
    expect(sorted(events)).toEqual(sorted(await collectEvents(harness.client, running)));
  });

  test('include grandchildren, which write to the same shared session', async () => {
    const batch = { delegations: [{ ...item('A'), may_delegate_further: 'yes' }, item('B')] };
    const { handle: deep } = await play([
      scriptByTurn(useTool('dispatch_subagents', batch), say('done')),
      (call) =>
        nameOf(call) === 'B'
          ? say('Nothing.')
          : scriptByTurn(
              useTool('dispatch_subagents', { delegations: [item('C')] }),
              note('middle'),
              say('Done.'),
            )(call),
      scriptByTurn(note('bottom'), say('Done.')),
    ]);
    await deep.result();
    const events = await collectEvents(harness.client, deep);
    expectFamilyOrder(events);
    expect(notesIn(events).map(({ text, agent }) => [text, agent])).toEqual([
      ['bottom', `${deep.workflowId}/session-1`],
      ['middle', `${deep.workflowId}/session-1`],
    ]);
    expect(new Set(events.map(({ agent }) => agent.split('/').length))).toEqual(new Set([2, 3, 4]));
  });
});

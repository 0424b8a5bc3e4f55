import fc from 'fast-check';
import type { RunEvent } from '../../../client/event/record';
import { applyChange, mergeChanges } from '../../../client/view/changes';
import { RunReducer } from '../../../client/view/run-reducer';
import type { AgentChange, AgentRow } from '../../../client/view/run-view';
import type { EventBody } from '../../../client/event/record';

const start = Date.parse('2026-11-16T14:00:00.000Z');
const usage = { input: 100, cacheRead: 10, cacheWrite: 0, output: 5 };
const model = 'claude-sonnet-5-5';

function at(ms: number): string {
  return new Date(start + ms).toISOString();
}

/** Events of an agent, by path; the path of the root is empty. */
function event(path: string, ms: number, body: EventBody): RunEvent {
  return { at: at(ms), agent: path === '' ? 'run/r1' : `run/r1/${path}`, ...body };
}

function started(path: string, ms: number): RunEvent {
  return event(path, ms, { kind: 'agent.started', execution: 'x', delegationId: path || null, model });
}

function turn(path: string, ms: number, number: number, tools: readonly string[] = []): RunEvent {
  const startedAt = at(ms - 100);
  return event(path, ms, { kind: 'turn', turn: number, startedAt, ms: 100, stopReason: 'done', usage, tools });
}

function tool(path: string, ms: number, name = 'grep', isError = false): RunEvent {
  const facts = { turn: 1, callId: 'c', startedAt: at(ms - 50), ms: 50 };
  return event(path, ms, { kind: 'tool', tool: name, isError, ...facts });
}

function delegated(child: string, ms: number, index = 0, size = 1): RunEvent {
  const parent = child.includes('/') ? child.slice(0, child.lastIndexOf('/')) : '';
  const id = child.slice(child.lastIndexOf('/') + 1);
  const batch = { turn: 1, callId: 'd', index, size };
  const facts = { delegationId: id, child: `run/r1/${child}`, tool: 'dispatch_subagents', headline: `Read ${child}` };
  return event(parent, ms, { kind: 'delegation.started', ...facts, ...batch });
}

function reduced(events: readonly RunEvent[]): ReadonlyMap<string, AgentRow> {
  const reducer = new RunReducer('Look around');
  for (const each of events) reducer.apply(each);
  return new Map(reducer.rows().map((row) => [row.path, row]));
}

const parked = event('a', 900, {
  kind: 'agent.parked',
  incident: 'i1',
  step: 'turn 2',
  type: 'Model.RateLimited',
  message: 'slow down',
  incidentKind: 'failure',
});
const family = [
  started('', 0),
  turn('', 200, 1, ['dispatch_subagents']),
  delegated('a', 300, 0, 2),
  started('a', 301),
  delegated('b', 310, 1, 2),
  started('b', 311),
  turn('a', 500, 1, ['grep', 'read_file']),
  tool('a', 600),
  tool('a', 700, 'read_file', true),
];

test('an agent is shown by what it was asked, with its batch, state and time', () => {
  const rows = reduced(family);
  expect(rows.get('')).toMatchObject({ headline: 'Look around', state: 'waiting', detail: '2 agents', parent: null });
  expect(rows.get('a')).toMatchObject({
    headline: 'Read a',
    parent: '',
    state: 'running',
    detail: 'thinking',
    batch: { callId: 'd', turn: 1, index: 0, size: 2 },
    turn: 1,
    startedAt: start + 300,
    endedAt: null,
  });
  expect(rows.get('a')!.segments).toEqual([
    { kind: 'model', from: start + 400, to: start + 500, turn: 1, label: 'thinking', isError: false },
    { kind: 'tool', from: start + 550, to: start + 700, turn: 1, label: 'grep, read_file', isError: true },
    { kind: 'model', from: start + 700, to: null, turn: 2, label: 'thinking', isError: false },
  ]);
  expect(rows.get('')!.segments.at(-1)).toMatchObject({ kind: 'wait', from: start + 300, to: null });
});

test('figures of the parent are the sum of its own and those below', () => {
  const rows = reduced([...family, turn('b', 800, 1)]);
  expect(rows.get('')!.own.turns).toBe(1);
  expect(rows.get('')!.withDelegations).toMatchObject({ turns: 3, usage: { input: 300, output: 15 } });
  expect(rows.get('')!.withDelegations.microUsd).toBe(3 * rows.get('')!.own.microUsd!);
});

test('somebody who needs you says why, until the decision', () => {
  const reducer = new RunReducer('Look around');
  for (const each of [...family, parked]) reducer.apply(each);
  expect(reducer.rows()[1]).toMatchObject({ state: 'needs you', detail: 'Model.RateLimited' });
  expect(reducer.incidents()).toMatchObject([{ path: 'a', id: 'i1', kind: 'failure', since: at(900), alike: 0 }]);
  const answer = { incident: 'i1', action: 'retry', by: 'ada', note: '' };
  reducer.apply(event('a', 1_000, { kind: 'agent.answered', ...answer }));
  expect(reducer.rows()[1]).toMatchObject({ state: 'running' });
  expect(reducer.incidents()).toEqual([]);
  const waits = reducer.rows()[1]!.segments.filter(({ kind }) => kind === 'wait');
  expect(waits).toMatchObject([{ from: start + 900, to: start + 1_000, label: 'Model.RateLimited' }]);
});

test('a call that waits for approval is not at work before it is approved', () => {
  const asked = {
    incident: 'i1',
    step: 'turn 1',
    type: 'Approval.Needed',
    message: '',
    incidentKind: 'approval',
  } as const;
  const events = [
    started('', 0),
    turn('', 200, 1, ['grep', 'write_artifact']),
    event('', 201, { kind: 'agent.parked', ...asked }),
    tool('', 260),
    event('', 5_000, { kind: 'agent.answered', incident: 'i1', action: 'approve', by: 'ada', note: '' }),
  ];
  const kindsAt = (count: number): readonly string[] =>
    reduced(events.slice(0, count))
      .get('')!
      .segments.filter(({ to }) => to === null)
      .map(({ kind }) => kind);
  expect([2, 3, 4, 5].map(kindsAt)).toEqual([['tool'], ['wait'], ['wait'], ['tool']]);
  const rows = reduced([...events, tool('', 5_100, 'write_artifact')]);
  const works = rows.get('')!.segments.filter(({ kind, from }) => kind !== 'wait' && from >= start + 200);
  expect(works.filter(({ to }) => to !== null).map(({ from, to }) => [from - start, to! - start])).toEqual([
    [200, 201],
    [210, 260],
    [5_050, 5_100],
  ]);
});

test.each([
  ['agent.completed', {}, 'completed', ''],
  ['agent.failed', { failure: { type: 'Budget.Exceeded', message: 'no money' } }, 'failed', 'Budget.Exceeded'],
  ['agent.cancelled', {}, 'cancelled', ''],
  ['agent.terminated', { reason: 'stop' }, 'failed', 'terminated'],
  ['agent.timedOut', {}, 'failed', 'timed out'],
] as const)('%s ends the row and everything open in it', (kind, fields, state, detail) => {
  const rows = reduced([...family, parked, event('a', 1_100, { kind, ...fields } as EventBody)]);
  expect(rows.get('a')).toMatchObject({ state, detail, endedAt: start + 1_100 });
  expect(rows.get('a')!.segments.filter(({ to }) => to === null)).toEqual([]);
});

test('a failure has what to do about it and the command that continues the agent, as far as there is one', () => {
  const failed = (path: string, type: string): unknown =>
    reduced([...family, event(path, 1_100, { kind: 'agent.failed', failure: { type, message: 'no' } })]).get(path)
      ?.failure;
  const remedy = expect.stringContaining('a larger budget') as string;
  expect(failed('a', 'Model.NotFound')).toMatchObject({
    command: 'baton retry r1/a --with-parent',
    remedy: expect.anything() as string,
  });
  expect(failed('', 'Budget.Exceeded')).toMatchObject({
    command: expect.stringMatching(/^baton amend r1 --/) as string,
    remedy,
  });
  expect(failed('', 'Relay.Failed')).not.toHaveProperty('command');
  expect(failed('a', 'Other')).toEqual({ type: 'Other', message: 'no', command: 'baton retry r1/a --with-parent' });
});

test('a turn that is taken again after a reset replaces the earlier one, and is paid for once', () => {
  const rows = reduced([
    ...family,
    turn('a', 800, 2),
    event('a', 850, { kind: 'agent.failed', failure: { type: 'Model.Refused', message: 'no' } }),
    event('a', 900, { kind: 'agent.reset', execution: 'y', reason: 'retry' }),
    turn('a', 1_000, 2),
  ]);
  const row = rows.get('a')!;
  expect(row).toMatchObject({ state: 'running', failure: null, endedAt: null, turn: 2 });
  expect(row.own.turns).toBe(2);
  expect(row.replaced).toMatchObject([
    { turn: 2, to: start + 800 },
    { turn: 3, to: start + 850 },
  ]);
  expect(row.segments.filter(({ turn: number, to }) => number === 2 && to !== null)).toMatchObject([
    { from: start + 900, to: start + 1_000 },
  ]);
});

test('a delegation whose result an operator supplied is skipped', () => {
  const failure = { type: 'Model.Refused', message: 'no' };
  const incident = { incident: 'i1', type: failure.type, message: '', incidentKind: 'failure' } as const;
  const rows = reduced([
    ...family,
    event('a', 800, { kind: 'agent.failed', failure }),
    event('', 801, { kind: 'delegation.failed', delegationId: 'a', child: 'run/r1/a', failure }),
    event('', 810, { kind: 'agent.parked', step: 'delegation a', ...incident }),
    event('', 900, { kind: 'agent.answered', incident: 'i1', action: 'skip', by: 'ada', note: '' }),
  ]);
  expect(rows.get('a')).toMatchObject({ state: 'skipped', detail: 'Model.Refused, by ada' });
});

const paths = ['', 'a', 'b', 'a/c'];
const anyEvent = fc
  .tuple(fc.constantFrom(...paths), fc.nat(13), fc.integer({ min: 1, max: 4 }), fc.boolean())
  .map(([path, kind, number, flag]) => (ms: number): RunEvent => {
    const incident = `i${number}`;
    const failure = { type: 'Model.Refused', message: 'no' };
    const facts = {
      incident,
      step: `turn ${number}`,
      type: 'Tool.Requested',
      message: '',
      incidentKind: 'toolRequest',
    };
    const kinds: readonly RunEvent[] = [
      turn(path, ms, number, flag ? ['grep', 'dispatch_subagent'] : []),
      turn(path, ms, number, ['grep', 'grep']),
      tool(path, ms, flag ? 'dispatch_subagent' : 'grep', flag),
      path === '' ? started('', ms) : delegated(path, ms),
      started(path, ms),
      event(path, ms, { kind: 'agent.parked', ...facts } as EventBody),
      event(path, ms, { kind: 'agent.answered', incident, action: flag ? 'skip' : 'retry', by: 'ada', note: '' }),
      event(path, ms, { kind: 'agent.failed', failure }),
      event(path, ms, { kind: 'agent.completed' }),
      event(path, ms, { kind: 'agent.reset', execution: 'y', reason: '' }),
      event(path, ms, { kind: flag ? 'agent.paused' : 'agent.resumed', by: null, note: '' }),
      event(path, ms, { kind: 'agent.cancelRequested', reason: '' }),
      event('', ms, { kind: 'delegation.failed', delegationId: 'a', child: 'run/r1/a', failure }),
      event(path, ms, { kind: 'model.replaced', turn: number, from: model, to: 'claude-haiku-5', failure }),
    ];
    return kinds[kind] ?? started('', ms);
  });

test('changes applied one after the other, or merged first, give the rows', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(anyEvent, fc.boolean()), { maxLength: 60 }), (script) => {
      const reducer = new RunReducer('Look around');
      const applied = new Map<string, AgentRow>();
      const merged = new Map<string, AgentChange>();
      const take = (): void => {
        for (const change of reducer.take().rows) {
          applied.set(change.path, applyChange(applied.get(change.path), change));
          merged.set(change.path, mergeChanges(merged.get(change.path), change));
        }
      };
      reducer.apply(started('', 0));
      script.forEach(([make, isTaken], index) => {
        reducer.apply(make((index + 1) * 100));
        if (isTaken) take();
      });
      take();
      const rows = reducer.rows();
      expect([...applied.values()]).toEqual(rows);
      expect([...merged.values()].map((change) => applyChange(undefined, change))).toEqual(rows);
    }),
    { numRuns: 300 },
  );
});

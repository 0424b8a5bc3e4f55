import { listLines, type ListedRun } from '../../../cli/agent/list-lines';
import { collapseTree, treeLines, type TreeLine } from '../../../cli/delegation/draw-tree';
import { incidentsIn, needsYouLines } from '../../../cli/delegation/needs-you';
import { visiblePart } from '../../../cli/delegation/viewport';
import { cutLine, plainLine, renderLine, usesColours } from '../../../cli/screen/style';
import { styledRows } from '../../../cli/screen/styled-rows';
import { cutToWidth, displayWidth, wrapWords } from '../../../cli/screen/width';
import type { AgentDetails, AgentStatus, TreeNode } from '../../../client/delegation/tree-node';
import { formatAgo, formatMoment, formatTime, withReadableTimes } from '../../../client/format';
import type { StatusSnapshot } from '../../../domain/agent';
import { noFigures } from '../../../domain/budget';
import type { Incident } from '../../../domain/operator';

const now = Date.parse('2026-11-17T14:05:00Z');

describe('width', () => {
  test.each([
    ['plain', 5],
    ['日本語', 6],
    ['한국', 4],
    ['👩‍👩‍👧 ok', 5],
    ['e\u0301a', 2],
    ['├─ ✓', 4],
  ])('%s takes %i columns', (text, width) => {
    expect(displayWidth(text)).toBe(width);
  });

  test('a text is cut to the screen, never in the middle of a character', () => {
    expect(cutToWidth('日本語のテキスト', 7)).toBe('日本語…');
    expect(cutToWidth('日本語のテキスト', 8)).toBe('日本語…');
    expect(cutToWidth('👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧', 4)).toBe('👩‍👩‍👧…');
    expect(cutToWidth('short', 80)).toBe('short');
    expect(plainLine(cutLine(['ab', { text: 'cd', style: 'bad' }, 'ef'], 5))).toBe('abcd…');
    expect(plainLine(cutLine(['ab', 'cd', 'ef'], 4))).toBe('abc…');
    expect(plainLine(cutLine(['ab', 'cd', ''], 4))).toBe('abcd');
  });

  test('texts are broken between words', () => {
    expect(wrapWords('one two three', 8)).toEqual(['one two', 'three']);
    expect(wrapWords('indivisible word', 5)).toEqual(['indivisible', 'word']);
  });
});

describe('colours', () => {
  const decide = (env: Record<string, string>, isTerminal = true, isForbidden = false): boolean =>
    usesColours({ isTerminal, env, isForbidden });

  test('are used on a terminal, unless they are not wanted', () => {
    expect(decide({})).toBe(true);
    expect(decide({}, false)).toBe(false);
    expect(decide({ NO_COLOR: '1' })).toBe(false);
    expect(decide({ NO_COLOR: '1', FORCE_COLOR: '1' })).toBe(false);
    expect(decide({ NO_COLOR: '' })).toBe(true);
    expect(decide({ TERM: 'dumb' })).toBe(false);
    expect(decide({ FORCE_COLOR: '1' }, false)).toBe(true);
    expect(decide({ FORCE_COLOR: '0' })).toBe(false);
    expect(decide({ FORCE_COLOR: '1' }, true, true)).toBe(false);
  });

  test('of rows show the state, and never change the words', () => {
    const table = 'run         r1\nstatus      failed\nwhat to do  try  again\n            and again\nSpent: 3 turns';
    const lines = styledRows(table);
    expect(lines.map(plainLine).join('\n')).toBe(table);
    expect(lines[1]).toEqual([{ text: 'status', style: 'quiet' }, '      ', { text: 'failed', style: 'bad' }]);
    expect(lines[2]!.at(-1)).toEqual({ text: 'try  again', style: 'strong' });
    expect(renderLine(lines[4]!, true)).toBe('Spent: 3 turns');
  });

  test('of rows that are too long go on below, between words, and commands stay whole', () => {
    const table =
      'why       the next step was not started\ncommands  baton amend run-1/child --turns 10\nBudget: all spent';
    expect(styledRows(table, 24).map(plainLine)).toEqual([
      'why       the next step',
      '          was not',
      '          started',
      'commands  baton amend run-1/child --turns 10',
      'Budget: all spent',
    ]);
  });

  test('foreign text can neither use them nor move the cursor', () => {
    const line = renderLine(['\u001B[31mred\n', { text: 'bad\u001B[2J', style: 'bad' }], true);
    expect(line).toBe('\\u{1B}[31mred \u001B[31mbad\\u{1B}[2J\u001B[0m');
    expect(renderLine([{ text: 'bad', style: 'bad' }], false)).toBe('bad');
  });
});

test('times are local and as short as they can be, or ISO 8601 in UTC', () => {
  const at = new Date(2026, 10, 17, 14, 3).getTime();
  const later = new Date(2026, 10, 17, 14, 6, 30).getTime();
  expect(formatTime(at, { now: later })).toBe('14:03');
  expect(formatTime(new Date(2026, 10, 16, 9, 5).getTime(), { now: later })).toBe('16 Nov 09:05');
  expect(formatTime(new Date(2025, 10, 16).getTime(), { now: later })).toBe('16 Nov 2025');
  expect(formatMoment(at, { now: later })).toBe('14:03 (3 min ago)');
  expect(formatMoment(now, { now: later, utc: true })).toBe('2026-11-17T14:05:00.000Z');
  const ago = [0, 40_000, 3_600_000, 47 * 3_600_000, 72 * 3_600_000, -180_000].map((ms) => formatAgo(now - ms, now));
  expect(ago).toEqual(['just now', '40 s ago', '1 h ago', '47 h ago', '3 days ago', 'in 3 min']);
  expect(withReadableTimes(`waiting since ${new Date(at).toISOString()}: x`, { now: later })).toBe(
    'waiting since 14:03 (3 min ago): x',
  );
});

const incident: Incident = {
  id: 'i1',
  kind: 'failure',
  type: 'Model.Unauthorized',
  message: 'The key is not valid, so the model can not be called. '.repeat(3),
  since: '2026-11-17T14:02:00.000Z',
  attempt: 1,
  step: 'turn 1',
  delegation: null,
  tool: null,
};

const execution = (workflowId: string, state = 'RUNNING'): TreeNode['execution'] => ({
  workflowId,
  type: 'delegationWorkflow',
  taskQueue: 'baton',
  state,
  batonStatus: null,
  skill: null,
  ordinal: null,
  startedAt: now,
  closedAt: null,
});

/** A running agent with a long purpose; with incidents, it waits for an operator. */
function detailsOf(incidents: readonly Incident[] = []): AgentDetails {
  const snapshot: Partial<StatusSnapshot> = {
    status: 'thinking',
    waitingFor: 'claude-sonnet-5-5, turn 1',
    turn: 0,
    occupancy: 4_000,
    window: 200_000,
    skill: null,
    paused: false,
    incidents,
    parkedBelow: 0,
  };
  return {
    summary: '全部のファイルを読んで、要約してください。Read all of the files.',
    snapshot: snapshot as StatusSnapshot,
    importing: null,
    figures: { own: noFigures, withDelegations: noFigures },
    budget: null,
    skipped: null,
    failure: null,
    fallbacks: [],
  };
}

/** A run with this many delegations, of which one waits for an operator. */
function tree(children: number, parked: number): { lines: readonly TreeLine[]; details: Map<string, AgentDetails> } {
  const ids = Array.from({ length: children }, (_, index) => `run/r1/child${index}`);
  const node = {
    execution: execution('run/r1'),
    children: ids.map((id) => ({ execution: execution(id), children: [] })),
  };
  const details = new Map([['run/r1', detailsOf()], ...ids.map((id) => [id, detailsOf()] as const)]);
  details.set(ids[parked]!, detailsOf([incident]));
  return { lines: treeLines(collapseTree(node, true), details, 79), details };
}

describe('a tree', () => {
  test('has one line per agent, none wider than the screen, and the reason to wait is not cut away', () => {
    const { lines } = tree(3, 1);
    const texts = lines.map(({ line }) => plainLine(line));
    expect(texts).toHaveLength(4);
    for (const text of texts) expect(displayWidth(text)).toBeLessThanOrEqual(79);
    expect(texts[2]).toMatch(/^├─ ! child1 {2}needs operator · i1 Model\.Unauthorized: The key is not valid.*…$/);
    expect(texts[3]).toMatch(/^└─ ● child2 {2}running · thinking \(claude-sonnet-5-5, turn 1\) {2}全部の.*…$/);
    expect(texts.join('\n')).not.toContain('turn 0');
  });

  test('says since when an agent waits for the store, instead of what it was at', () => {
    const since = 'the store is full since 2026-11-17T14:02:00.000Z';
    const details = new Map([['run/r1', { ...detailsOf(), storeTrouble: since }]]);
    const node = collapseTree({ execution: execution('run/r1'), children: [] }, true);
    expect(treeLines(node, details, 79).map(({ line }) => plainLine(line))).toEqual([
      expect.stringMatching(/^● root {2}running · the store is full since 2026-11-17T14:02:00\.000Z {2}全部の.*…$/),
    ]);
  });

  test('shows agents that failed or wait below others that are collapsed', () => {
    const node = (
      id: string,
      state: string,
      children: readonly TreeNode[] = [],
      batonStatus: string | null = null,
    ) => ({
      execution: { ...execution(`run/r1/${id}`, state), batonStatus },
      children,
    });
    const quiet = Array.from({ length: 6 }, (_, index) => node(`quiet${index}`, 'COMPLETED'));
    const busy = Array.from({ length: 21 }, (_, index) => node(`busy${index}`, 'RUNNING'));
    const children = [
      ...quiet,
      node('mixed', 'COMPLETED', [node('mixed/lost', 'FAILED'), node('mixed/fine', 'COMPLETED')]),
      ...busy,
      node('host', 'RUNNING', [node('host/asks', 'RUNNING', [], 'needs_operator')]),
    ];
    const shown = collapseTree({ execution: execution('run/r1'), children });
    const texts = treeLines(shown, new Map(), 79).map(({ line }) => plainLine(line));
    const own = texts.filter((text) => !text.includes('busy'));
    expect(own.map((text) => text.replace(/^[│ ├└─]+/u, '').trimEnd())).toEqual([
      '● root  running',
      '✓ mixed  completed',
      '✗ lost  failed',
      '✓ fine  completed',
      '● host  running',
      '! asks  needs operator',
      '✓ … 6 more completed',
      '● … 1 more running',
    ]);
    const many = Array.from({ length: 23 }, (_, index) =>
      node(`m${index}`, 'COMPLETED', [node(`m${index}/x`, 'FAILED')]),
    );
    const row = treeLines(collapseTree({ execution: execution('run/r1'), children: many }), new Map(), 79).at(-1)!;
    expect(plainLine(row.line)).toBe('└─ ✗ … 3 more completed, failed below (6 agents)');
    expect(row.status).toBe('failed');
  });

  test('that is taller than the screen keeps its root and shows what needs you, and can be scrolled', () => {
    const { lines } = tree(60, 45);
    const automatic = visiblePart(lines, 20);
    const texts = automatic.lines.map(plainLine);
    expect(texts).toHaveLength(20);
    expect(texts[0]).toMatch(/^● root/);
    expect(texts.some((text) => text.includes('! child45'))).toBe(true);
    expect(texts.at(-1)).toMatch(/^ {2}lines \d+–\d+ of 61, scroll with ↑ and ↓$/);
    const end = visiblePart(lines, 20, Infinity);
    expect(plainLine(end.lines.at(-2)!)).toMatch(/└─ ● child59/);
    expect(end.top).toBe(42);
    expect(plainLine(visiblePart(lines, 20, 0).lines[1]!)).toMatch(/├─ ● child0/);
    expect(visiblePart(lines.slice(0, 5), 20).lines).toHaveLength(5);
  });

  test('is followed by who waits, for what, since when, and the commands that answer', () => {
    const { details } = tree(3, 1);
    const open = incidentsIn(details);
    const lines = needsYouLines(open, { now, utc: true }, { columns: 79, rows: 20 }).map(plainLine);
    expect(lines.slice(0, 2)).toEqual([
      '',
      '! child1 needs you since 2026-11-17T14:02:00.000Z: i1 Model.Unauthorized (turn…',
    ]);
    expect(lines).toContain('    baton retry r1/child1 --incident i1');
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(79);
    const many = Array.from({ length: 30 }, (_, index) => ({ workflowId: `run/r1/child${index}`, incident }));
    const short = needsYouLines(many, { now }, { columns: 79, rows: 10 }).map(plainLine);
    expect(short).toHaveLength(10);
    expect(short.at(-1)).toBe('    … and 26 more: baton list --status needs-operator');
    expect(needsYouLines([], { now }, { columns: 79, rows: 10 })).toEqual([]);
  });
});

test('a list has one line per run that fits the screen, and more about its budget and who waits', () => {
  const run = (runId: string, state: AgentStatus, more: Partial<ListedRun> = {}): ListedRun => ({
    runId,
    workflowId: `run/${runId}`,
    status: 'running',
    state: state as ListedRun['state'],
    startedAt: '2026-11-17T14:00:00.000Z',
    closedAt: null,
    goal: 'Summarize every file of this project and say what is missing',
    prompt: null,
    skill: null,
    relay: null,
    waiting: [],
    own: noFigures,
    withDelegations: { ...noFigures, turns: 1, microUsd: 21_000 },
    budget: null,
    ...more,
  });
  const waiting = [{ agent: 'run/a/child1', incident: 'i1', type: 'Model.Unauthorized', since: incident.since }];
  const runs = [
    run('20261117-140000-k3f9q1', 'needs operator', { waiting }),
    run('b', 'paused', { withDelegations: null }),
    run('c', 'completed', { budget: { microUsd: 250_000, turns: 10 } }),
  ];
  const lines = listLines(runs, { now }, 80).map(plainLine);
  expect(lines.map((line) => line.trimEnd())).toEqual([
    'RUN                     STATE      STARTED    TOOK       COST    GOAL',
    '20261117-140000-k3f9q1  needs you  5 min ago  5 min 0 s  $0.021  Summarize ever…',
    '  ! baton why 20261117-140000-k3f9q1  child1: Model.Unauthorized, 3 min ago',
    'b                       paused     5 min ago  5 min 0 s          Summarize ever…',
    'c                       completed  5 min ago             $0.021  Summarize ever…',
    '  budget  cost $0.021 of $0.250, $0.229 left; turns 1 of 10, 9 left',
  ]);
  const wide = listLines(runs, { now, utc: true }, undefined).map(plainLine);
  expect(wide[1]).toContain('2026-11-17T14:00:00.000Z');
  expect(wide[1]).toContain('say what is missing');
});

import type { AgentRow, ViewIncident } from '../../../client/view/run-view';
import { budgetBars } from '../../../page/detail/budget-shares';
import { diffLines, diffPairs } from '../../../page/detail/diff-rows';
import { nestedSections } from '../../../page/detail/prompt-sections';
import { decisionFrom, possibleActions } from '../../../page/incident/decision';
import { abortWords, commandLine, incidentMessage, incidentTitle } from '../../../page/incident/incident-words';
import { figures } from '../../support/ui/generated-run';

describe('diffs', () => {
  const hunk = { oldStart: 12, newStart: 12, lines: [' a', '-b', '-c', '+B', ' d', '\\ No newline at end of file'] };

  test('number the lines of both sides', () => {
    expect(diffLines(hunk).map(({ old, now, text }) => [old, now, text])).toEqual([
      [12, 12, 'a'],
      [13, null, 'b'],
      [14, null, 'c'],
      [null, 13, 'B'],
      [15, 14, 'd'],
      [null, null, '\\ No newline at end of file'],
    ]);
  });

  test('put what was beside what is', () => {
    expect(diffPairs(hunk).map(({ left, right }) => [left?.text, right?.text])).toEqual([
      ['a', 'a'],
      ['b', 'B'],
      ['c', undefined],
      ['d', 'd'],
      ['\\ No newline at end of file', '\\ No newline at end of file'],
    ]);
  });
});

test('the embedded prompts of parents are below their section, also twice', () => {
  const section = (id: string, level: number, parent?: string): Parameters<typeof nestedSections>[0][number] => ({
    id,
    title: id,
    level,
    text: `${id}\n`,
    ...(parent === undefined ? {} : { parent: { path: parent, bytes: 1 } }),
  });
  const nodes = nestedSections([
    section('overview', 1),
    section('parent', 2, 'a'),
    section('role', 3),
    section('grandparent', 3, ''),
    section('root', 4),
    section('tools', 3),
    section('details', 2),
  ]);
  expect(nodes.map(({ id }) => id)).toEqual(['overview', 'parent', 'details']);
  expect(nodes[1]?.lines).toBe(5);
  expect(nodes[1]?.children.map(({ id }) => id)).toEqual(['role', 'grandparent', 'tools']);
  expect(nodes[1]?.children[1]?.children.map(({ id }) => id)).toEqual(['root']);
});

describe('budgets', () => {
  const view = {
    own: figures(2),
    below: figures(8),
    held: { ...figures(0), microUsd: 30_000 },
    limits: { microUsd: 200_000, tokens: null, turns: 5 },
    deadline: null,
    window: null,
    injectedTokens: null,
    readTokens: null,
  };

  test('are parts that add up to the limit, or to what was used', () => {
    const [cost, tokens, turns] = budgetBars(view);
    expect(cost?.words).toBe('$0.120 of $0.200');
    expect(cost?.parts.map(({ words }) => words)).toEqual(['own $0.024', 'below $0.096', 'held $0.030', 'free $0.050']);
    expect(tokens?.words).toBe('103k, no limit');
    expect(turns?.parts.at(-1)).toMatchObject({ kind: 'free', share: 0 });
    for (const bar of [cost, tokens, turns]) {
      expect((bar?.parts ?? []).reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
    }
  });

  test('an unknown price is not free', () => {
    expect(budgetBars({ ...view, own: { ...view.own, microUsd: null } })[0]?.words).toBe('no price of $0.200');
  });
});

describe('decisions', () => {
  const incident: ViewIncident = {
    id: 'i1',
    path: 'abcdefghij',
    kind: 'failure',
    type: 'Model.RateLimited',
    message: '429',
    since: '2026-11-16T14:00:00.000Z',
    attempt: 3,
    step: 'turn 7',
    delegation: null,
    tool: null,
    alike: 0,
  };
  const approval: ViewIncident = { ...incident, kind: 'approval', tool: 'run_command', argumentsText: '{"a":1}' };

  test('depend on what happened', () => {
    expect(possibleActions(incident)).toEqual(['retry', 'amend', 'skip', 'abort']);
    expect(possibleActions({ ...incident, delegation: 'x' })).toEqual(['retry', 'skip', 'abort']);
    expect(possibleActions(approval)).toEqual(['approve', 'deny']);
    expect(possibleActions({ ...incident, kind: 'question' })).toEqual(['answer']);
  });

  test.each([
    ['retry', {}, { action: 'retry', incident: 'i1' }],
    ['retry', { note: ' back ' }, { action: 'retry', incident: 'i1', note: 'back' }],
    ['skip', {}, 'Write the result that is used instead.'],
    ['skip', { placeholder: 'none' }, { action: 'skip', incident: 'i1', placeholder: 'none' }],
    ['amend', {}, 'Change at least one thing.'],
    ['amend', { turns: 'many' }, 'More turns: "many" is not a number.'],
    [
      'amend',
      { instructions: 'Go on.', model: 'm', turns: '5', usd: '1.5' },
      {
        action: 'amend',
        incident: 'i1',
        amendment: { instructions: 'Go on.', model: { name: 'm' }, budget: { turns: 5, microUsd: 1_500_000 } },
      },
    ],
    ['answer', { answer: 'yes' }, { action: 'answer', incident: 'i1', text: 'yes' }],
  ] as const)('%s with %j', (action, draft, body) => {
    expect(decisionFrom(incident, action, draft)).toEqual(body);
  });

  test('an approval may have other arguments, and be for further calls', () => {
    expect(decisionFrom(approval, 'approve', { always: 'yes', edit: '{"a":2}' })).toEqual({
      action: 'approve',
      incident: 'i1',
      always: true,
      edit: { a: 2 },
    });
    expect(decisionFrom(approval, 'approve', { edit: '[1]' })).toBe('The changed arguments are not a JSON object.');
  });

  test('are named', () => {
    expect(incidentTitle(incident)).toBe('Turn 7 failed three times: Model.RateLimited');
    expect(incidentTitle(approval)).toBe('Wants to call run_command');
    const message = 'The agent wants to call run_command with {"a":1} (It runs (as root).)';
    expect(incidentMessage({ ...approval, message, argumentsText: '{"a":1}' })).toBe('It runs (as root).');
    expect(incidentMessage({ ...approval, message, argumentsText: '{"b":1}' })).toBe(message);
    const [agent, parent] = [{ path: 'p/abcdefghij' }, { path: 'p' }] as [AgentRow, AgentRow];
    expect(abortWords(agent, 1, parent)).toBe('Ends abcdefgh. Its failure goes to p. 1 agent below ends with it.');
    expect(commandLine('r-1', 'abcdefghij', incident, 'skip')).toBe(
      'baton skip r-1/abcdefghij --incident i1 --result "…"',
    );
  });
});

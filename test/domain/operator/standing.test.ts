import {
  emptyOperatorState,
  resolveAnswer,
  type StandingDecision,
  standingFor,
  withStanding,
} from '../../../domain/operator';

const approve = (rules: string[], tool = 'a'): StandingDecision => ({
  tool,
  rules,
  action: 'approve',
  by: '',
  note: '',
});
const deny = (rules: string[]): StandingDecision => ({ ...approve(rules), action: 'deny' });
const decided = (decisions: StandingDecision[], rules: string[]): string | undefined =>
  standingFor(withStanding(emptyOperatorState, decisions), { tool: 'a', rules })?.action;

describe('decisions about further calls', () => {
  test.each([
    [[approve(['r'])], ['r'], 'approve'],
    [[approve(['r'])], ['r', 's'], undefined],
    [[approve(['r']), approve(['s'])], ['r', 's'], 'approve'],
    [[approve(['r', 's'])], ['r'], 'approve'],
    [[approve(['r']), deny(['s'])], ['r', 's'], 'deny'],
    [[approve(['r'], 'b')], ['r'], undefined],
    [[], ['r'], undefined],
  ])('%j about a call that matches %j', (decisions, rules, expected) => {
    expect(decided(decisions, rules)).toBe(expected);
  });

  test('replace earlier ones about the same calls, and are bounded', () => {
    const state = withStanding(withStanding(emptyOperatorState, [deny(['r'])]), [approve(['r'])]);
    expect(state.standing).toEqual([approve(['r'])]);
    const many = Array.from({ length: 60 }, (_, index) => approve([`r${index}`]));
    expect(withStanding(state, many).standing).toHaveLength(50);
  });
});

describe('the answer that a text stands for', () => {
  test.each([
    ['x', {}, 'x'],
    ['2', { options: ['one', 'two'] }, 'two'],
    ['2', { options: ['2', '1'] }, '2'],
    [' TWO ', { options: ['one', 'two'] }, 'two'],
    ['3', { options: ['one', 'two'] }, undefined],
    ['0', { options: ['one', 'two'] }, undefined],
    ['three', { options: ['one', 'two'], freeText: true as const }, 'three'],
  ])('%j with %j', (text, question, expected) => {
    expect(resolveAnswer(text, question)).toBe(expected);
  });
});

import {
  type Allowance,
  charge,
  type Estimate,
  increaseAllowance,
  nothingSpent,
  openLedger,
  remainingAllowance,
  reserve,
  settleReservation,
  shortfallForCall,
  shortfallMessage,
  type Spending,
  totalSpent,
} from '../../../domain/budget';
import { formatUsd } from '../../../domain/model';
import { noUsage } from '../../../domain/model';
import { noEstimate } from './no-estimate';

const need = (part: Partial<Estimate>): Estimate => ({ ...noEstimate, ...part });
const call: Spending = { usage: { input: 10, cacheRead: 20, cacheWrite: 30, output: 40 }, microUsd: 7, turns: 1 };

describe('the available budget', () => {
  test('is the allowance minus spending, with tokens of all kinds added up', () => {
    const ledger = charge(openLedger({ tokens: 1_000, microUsd: 100, turns: 5 }), call);
    expect(remainingAllowance(ledger)).toEqual({ tokens: 900, microUsd: 93, turns: 4 });
  });

  test('excludes what delegations have spent and what running ones have reserved', () => {
    const opened = charge(openLedger({ tokens: 1_000 }), call);
    const reserved = reserve(opened, 'a', { cap: { tokens: 300 }, waiting: 1, own: noEstimate, first: noEstimate });
    if (!reserved.ok) throw new Error('refused');
    expect(remainingAllowance(reserved.ledger)).toEqual({ tokens: 600 });
    expect(remainingAllowance(settleReservation(reserved.ledger, 'a', call))).toEqual({ tokens: 800 });
  });

  test('is undefined where there is no bound', () => {
    expect(remainingAllowance(charge(openLedger({ turns: 3 }), call))).toEqual({ turns: 2 });
    expect(remainingAllowance(charge(openLedger({}), call))).toEqual({});
    expect(openLedger({ tokens: undefined, turns: 1 }).allowance).toEqual({ turns: 1 });
  });

  test('is never negative, even when a call took more than estimated', () => {
    expect(remainingAllowance(charge(openLedger({ tokens: 50, turns: 1 }), call))).toEqual({ tokens: 0, turns: 0 });
  });
});

describe('a call', () => {
  test.each<[string, Allowance, Estimate]>([
    ['exactly enough is left', { tokens: 100 }, need({ tokens: 100 })],
    ['nothing is needed and nothing left', { tokens: 0 }, need({ turns: 1 })],
    ['what it needs is not bounded', { microUsd: 0 }, need({ tokens: 1_000_000, turns: 1 })],
    ['nothing is bounded', {}, need({ tokens: 1e12, microUsd: 1e12, turns: 1 })],
  ])('is made when %s', (_, allowance, estimate) => {
    expect(shortfallForCall(openLedger(allowance), estimate)).toBeUndefined();
  });

  test('is not made when one token is missing', () => {
    const lack = shortfallForCall(openLedger({ tokens: 99 }), need({ tokens: 100 }));
    expect(lack).toEqual({ dimension: 'tokens', needed: 100, left: 99 });
  });

  test('is not made when one kind of budget suffices and another does not', () => {
    const ledger = openLedger({ tokens: 1_000, microUsd: 10, turns: 0 });
    expect(shortfallForCall(ledger, need({ tokens: 100, microUsd: 11 }))).toEqual({
      dimension: 'microUsd',
      needed: 11,
      left: 10,
    });
    expect(shortfallForCall(ledger, need({ tokens: 100, turns: 1 }))).toEqual({
      dimension: 'turns',
      needed: 1,
      left: 0,
    });
  });
});

describe('an increase by an operator', () => {
  test('is added to an existing bound', () => {
    const ledger = increaseAllowance(charge(openLedger({ tokens: 100, turns: 1 }), call), { tokens: 50 });
    expect(remainingAllowance(ledger)).toEqual({ tokens: 50, turns: 0 });
    expect(totalSpent(ledger)).toEqual(call);
  });

  test('does not create a bound where there was none', () => {
    expect(increaseAllowance(openLedger({ turns: 1 }), { tokens: 50, turns: 2 }).allowance).toEqual({ turns: 3 });
    expect(increaseAllowance(openLedger({}), { tokens: 50 }).allowance).toEqual({});
  });
});

test('spending is the sum of own calls and delegations, by kind of token', () => {
  const ledger = settleReservation(charge(charge(openLedger({}), call), call), 'a', {
    usage: { ...noUsage, output: 5 },
    microUsd: 3,
    turns: 2,
  });
  const usage = { input: 20, cacheRead: 40, cacheWrite: 60, output: 85 };
  expect(totalSpent(ledger)).toEqual({ usage, microUsd: 17, turns: 4 });
  expect(totalSpent(openLedger({ tokens: 1 }))).toEqual(nothingSpent);
});

test('a ledger survives serialization to JSON', () => {
  const reserved = reserve(charge(openLedger({ tokens: 1_000, turns: 9 }), call), 'a', {
    waiting: 2,
    own: noEstimate,
    first: noEstimate,
  });
  expect(JSON.parse(JSON.stringify(reserved))).toStrictEqual(reserved);
});

describe('the message about a shortfall', () => {
  test.each([
    [
      { dimension: 'tokens', needed: 9_000, left: 1 } as const,
      'take up to 9000 tokens, but only 1 token of the budget is left',
    ],
    [{ dimension: 'turns', needed: 1, left: 0 } as const, 'take up to 1 turn, but only 0 turns of the budget are left'],
    [
      { dimension: 'microUsd', needed: 1_500_000, left: 1_200 } as const,
      'cost up to $1.50, but only $0.0012 of the budget is left',
    ],
  ])('states what is needed and what is left: %j', (lack, words) => {
    const remedy =
      lack.dimension === 'turns'
        ? 'Raise the budget or request less.'
        : 'Raise the budget, request less, or lower the maximum tokens of a reply (--max-tokens), which are counted in full.';
    expect(shortfallMessage(lack)).toBe(`The next step was not started: it could ${words}. ${remedy}`);
  });

  test.each([
    [0, '$0.00'],
    [1, '$0.000001'],
    [100_000, '$0.10'],
    [123_456_789, '$123.456789'],
    [20_000_000, '$20.00'],
  ])('shows %d millionths as %s', (microUsd, shown) => {
    expect(formatUsd(microUsd, 'exact')).toBe(shown);
  });
});

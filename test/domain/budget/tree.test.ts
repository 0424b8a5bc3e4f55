import * as fc from 'fast-check';
import { nothingSpent } from '../../../domain/budget';
import { noEstimate } from './no-estimate';
import { trees, type Tree } from './plans';
import { realRules, SimulatedAgent, Violation, type Rules, type World } from './simulated-agent';

type Happened = World['happened'];

const nothing = (): Happened => ({ called: 0, outOfBudget: 0, started: 0, notStarted: 0, terminated: 0, deep: 0 });

/** Throws a `Violation` as soon as an invariant is broken. */
function simulate(rules: Rules, { allowance, root: plan, extension, picks }: Tree, happened: Happened): void {
  let picked = 0;
  const pick = (among: number): number => (picks[picked++ % picks.length] ?? 0) % among;
  const root = new SimulatedAgent({ rules, pick, happened }, plan, allowance);
  for (let moves = 0; root.move() !== 'done'; moves += 1) {
    if (moves === extension?.after) root.allowMore(extension.more);
  }
}

test('10,000 random trees of delegations never exceed a budget, and every ledger is the sum of usages', () => {
  const happened = nothing();
  fc.assert(
    fc.property(trees, (tree) => simulate(realRules, tree, happened)),
    { numRuns: 10_000 },
  );
  // Trees in which little happens would not prove much.
  expect(Object.values(happened).filter((times) => times < 2_000)).toEqual([]);
});

const broken: Record<string, (real: Rules) => Partial<Rules>> = {
  'does not return what is left of a share': ({ settleReservation }) => ({
    settleReservation: (ledger, id, spent) => ({ ...settleReservation(ledger, id, spent), reserved: ledger.reserved }),
  }),
  'charges calls twice': ({ charge }) => ({ charge: (ledger, spent) => charge(charge(ledger, spent), spent) }),
  'forgets what cache reads were': ({ charge }) => ({
    charge: (ledger, spent) => charge(ledger, { ...spent, usage: { ...spent.usage, cacheRead: 0 } }),
  }),
  'gives the first delegation everything': ({ reserve }) => ({
    reserve: (ledger, id, wanted) => reserve(ledger, id, { ...wanted, waiting: 1 }),
  }),
  'keeps nothing back for the agent itself': ({ reserve }) => ({
    reserve: (ledger, id, wanted) => reserve(ledger, id, { ...wanted, own: noEstimate }),
  }),
  'ignores caps': ({ reserve }) => ({
    reserve: (ledger, id, { cap: _ignored, ...wanted }) => reserve(ledger, id, wanted),
  }),
  'starts delegations that cannot pay a call': ({ reserve }) => ({
    reserve: (ledger, id, wanted) => reserve(ledger, id, { ...wanted, first: noEstimate }),
  }),
  'promises shares without reserving them': ({ reserve }) => ({
    reserve: (ledger, id, wanted) => {
      const reservation = reserve(ledger, id, wanted);
      return reservation.ok ? { ...reservation, ledger } : reservation;
    },
  }),
  'takes terminated delegations for free': ({ settleReservation }) => ({
    forfeitReservation: (ledger, id) => settleReservation(ledger, id, nothingSpent),
  }),
  'forgets what delegations cost': ({ settleReservation }) => ({
    settleReservation: (ledger, id, spent) => settleReservation(ledger, id, { ...spent, microUsd: 0 }),
  }),
  'looks at the budget after the call': () => ({ shortfallForCall: () => undefined }),
  'looks at tokens only': ({ shortfallForCall }) => ({
    shortfallForCall: (ledger, { tokens }) => shortfallForCall(ledger, { ...noEstimate, tokens }),
  }),
};

test.each(Object.entries(broken))('a ledger that %s is detected', (_, breakIt) => {
  const rules = { ...realRules, ...breakIt(realRules) };
  const property = fc.property(trees, (tree) => simulate(rules, tree, nothing()));
  const { failed, errorInstance } = fc.check(property, { numRuns: 1_000, endOnFailure: true });
  expect(failed).toBe(true);
  expect(errorInstance).toBeInstanceOf(Violation);
});

import {
  type Allowance,
  addEstimates,
  addSpending,
  charge,
  type Estimate,
  forfeitReservation,
  type Ledger,
  nothingSpent,
  openLedger,
  reserve,
  settleReservation,
  settleUnreported,
  shortfallForCall,
  type Spending,
  subtractSpending,
  totalSpent,
} from '../../domain/budget';
import { noUsage } from '../../domain/model';
import type { Model, Step } from './explore';

// An agent with a budget, its own calls, and delegations that reserve a share, spend it call by call, end with a report, are
// terminated in the middle of a call, and are run again. The provider counts what was paid.

/** The functions that carry the promise. Tests replace them by broken ones. */
export const budgetProtocol = {
  reserve,
  settleReservation,
  settleUnreported,
  forfeitReservation,
  shortfallForCall,
  charge,
  subtractSpending,
};
export type BudgetProtocol = typeof budgetProtocol;

/** How much may happen. */
export interface BudgetBounds {
  readonly tokens: number;
  readonly delegations: number;
  /** Delegations that end without a report. */
  readonly terminations: number;
  /** Reports that can't be found out either, so that the whole share counts. */
  readonly lost: number;
}

/** A call may take this many tokens, and takes one or all of them. */
const most = 2;
const actual: readonly number[] = [1, most];
const oneCall: Estimate = { tokens: most, microUsd: 0, turns: 0 };

interface Delegation {
  readonly state: 'waiting' | 'running' | 'terminated' | 'ended';
  readonly ledger: Ledger | null;
  readonly isCalling: boolean;
  /** What the journal has of it, over all its executions. */
  readonly journaled: number;
  /** What the parent has settled for it so far. */
  readonly settled: number;
  readonly runs: number;
}

interface World {
  readonly ledger: Ledger;
  readonly isCalling: boolean;
  readonly hasFinished: boolean;
  readonly delegations: readonly Delegation[];
  readonly paid: number;
  readonly forfeited: boolean;
  readonly left: Pick<BudgetBounds, 'terminations' | 'lost'>;
}

const tokens = (amount: number): Spending => ({ ...nothingSpent, usage: { ...noUsage, input: amount } });
const amountOf = ({ usage }: Spending): number => usage.input;
const replaced = <T>(list: readonly T[], index: number, item: T): readonly T[] =>
  list.map((old, at) => (at === index ? item : old));
const idOf = (index: number): string => `d${index}`;

export function budgetModel(bounds: BudgetBounds, protocol: BudgetProtocol = budgetProtocol): Model<World> {
  const { terminations, lost } = bounds;
  const fresh: Delegation = { state: 'waiting', ledger: null, isCalling: false, journaled: 0, settled: 0, runs: 0 };
  const allowance: Allowance = { tokens: bounds.tokens };
  return {
    initial: {
      ledger: openLedger(allowance),
      isCalling: false,
      hasFinished: false,
      delegations: Array.from({ length: bounds.delegations }, () => fresh),
      paid: 0,
      forfeited: false,
      left: { terminations, lost },
    },
    steps: (world) => [
      ...ownSteps(protocol, world),
      ...world.delegations.flatMap((delegation, index) => delegationSteps(protocol, world, delegation, index)),
    ],
    key: (world) => JSON.stringify(world),
    check: (world, isEnd) => wrongIn(world, bounds) ?? (isEnd ? wrongAtEnd(world) : undefined),
  };
}

/** The agent's last call, with which it uses the results of its delegations. */
function ownSteps(protocol: BudgetProtocol, world: World): Step<World>[] {
  const { ledger, isCalling, hasFinished, delegations, paid } = world;
  if (isCalling)
    return actual.map((amount) => ({
      name: `the agent's call takes ${amount}`,
      next: () => ({
        ...world,
        ledger: protocol.charge(ledger, tokens(amount)),
        paid: paid + amount,
        isCalling: false,
        hasFinished: true,
      }),
    }));
  const isLast = delegations.every(({ state }) => state === 'ended');
  if (hasFinished || !isLast || protocol.shortfallForCall(ledger, oneCall) !== undefined) return [];
  return [{ name: 'the agent calls its model', next: () => ({ ...world, isCalling: true }) }];
}

function delegationSteps(protocol: BudgetProtocol, world: World, delegation: Delegation, index: number): Step<World>[] {
  const changed = (to: Partial<Delegation>, more: Partial<World> = {}): World => ({
    ...world,
    ...more,
    delegations: replaced(world.delegations, index, { ...delegation, ...to }),
  });
  switch (delegation.state) {
    case 'waiting':
      return [{ name: `${idOf(index)} leaves the queue`, next: () => begun(protocol, world, index, changed) }];
    case 'running':
      return runningSteps(protocol, world, { delegation, index, changed });
    case 'terminated':
      return [
        {
          name: `the agent looks up what ${idOf(index)} has spent`,
          next: () => lookedUp(protocol, world, index, changed),
        },
      ];
    case 'ended':
      return [];
  }
}

type Change = (to: Partial<Delegation>, more?: Partial<World>) => World;

function begun(protocol: BudgetProtocol, world: World, index: number, changed: Change): World {
  const waiting = world.delegations.filter(({ state }) => state === 'waiting').length;
  const runs = (world.delegations[index]?.runs ?? 0) + 1;
  const request = { waiting, own: addEstimates(oneCall, oneCall), first: oneCall };
  const reserved = protocol.reserve(world.ledger, idOf(index), request);
  if (!reserved.ok) return changed({ state: 'ended', runs });
  return changed({ state: 'running', ledger: openLedger(reserved.share), runs }, { ledger: reserved.ledger });
}

function runningSteps(
  protocol: BudgetProtocol,
  world: World,
  { delegation, index, changed }: { delegation: Delegation; index: number; changed: Change },
): Step<World>[] {
  const { ledger, isCalling, journaled } = delegation;
  if (ledger === null) return [];
  const id = idOf(index);
  const steps: Step<World>[] = [];
  if (isCalling)
    for (const amount of actual)
      steps.push({
        name: `${id}'s call takes ${amount}`,
        next: () =>
          changed(
            { isCalling: false, ledger: protocol.charge(ledger, tokens(amount)), journaled: journaled + amount },
            { paid: world.paid + amount },
          ),
      });
  else {
    if (protocol.shortfallForCall(ledger, oneCall) === undefined)
      steps.push({ name: `${id} calls its model`, next: () => changed({ isCalling: true }) });
    steps.push({ name: `${id} ends with a report`, next: () => reported(protocol, world, index, changed) });
  }
  const { left } = world;
  if (left.terminations > 0) {
    const fewer = { left: { ...left, terminations: left.terminations - 1 } };
    steps.push({
      name: `${id} is terminated`,
      next: () => changed({ state: 'terminated', isCalling: false, ledger: null }, fewer),
    });
    // The answer had been journaled, but the delegation never saw it.
    if (isCalling)
      steps.push({
        name: `${id} is terminated after it has paid`,
        next: () =>
          changed(
            { state: 'terminated', isCalling: false, ledger: null, journaled: journaled + most },
            { ...fewer, paid: world.paid + most },
          ),
      });
  }
  return steps;
}

function reported(protocol: BudgetProtocol, world: World, index: number, changed: Change): World {
  const delegation = world.delegations[index];
  if (delegation?.ledger == null) return world;
  const spent = totalSpent(delegation.ledger);
  return changed(
    { state: 'ended', ledger: null, settled: delegation.settled + amountOf(spent) },
    { ledger: protocol.settleReservation(world.ledger, idOf(index), spent) },
  );
}

/** Settles what a terminated delegation has spent, and has it run once more. */
function lookedUp(protocol: BudgetProtocol, world: World, index: number, changed: Change): World {
  const delegation = world.delegations[index];
  if (delegation === undefined) return world;
  const { journaled, settled, runs } = delegation;
  const state = runs < 2 ? 'waiting' : 'ended';
  const { left } = world;
  // Whether it can be found out does not depend on anything else, so the first lookups are lost.
  if (left.lost > 0)
    return changed(
      { state, settled: journaled },
      {
        ledger: protocol.forfeitReservation(world.ledger, idOf(index)),
        forfeited: true,
        left: { ...left, lost: left.lost - 1 },
      },
    );
  const spent = protocol.subtractSpending(tokens(journaled), tokens(settled));
  return changed(
    { state, settled: amountOf(addSpending(tokens(settled), spent)) },
    { ledger: protocol.settleUnreported(world.ledger, idOf(index), spent) },
  );
}

function wrongIn({ paid, isCalling, delegations, ledger, forfeited }: World, bounds: BudgetBounds): string | undefined {
  const underWay = delegations.filter((delegation) => delegation.isCalling).length + (isCalling ? 1 : 0);
  if (paid + underWay * most > bounds.tokens)
    return `${paid} paid and ${underWay} calls under way, of ${bounds.tokens}`;
  const spent = amountOf(totalSpent(ledger));
  if (spent > bounds.tokens) return `the ledger has ${spent} of ${bounds.tokens}`;
  const settled = delegations.every(({ state }) => state === 'ended' || state === 'waiting');
  if (settled && spent < paid && !isCalling) return `the ledger has ${spent}, but ${paid} were paid`;
  if (settled && !forfeited && spent !== paid) return `the ledger has ${spent}, but ${paid} were paid`;
  return undefined;
}

function wrongAtEnd({ ledger, hasFinished, delegations }: World): string | undefined {
  if (Object.keys(ledger.reserved).length > 0) return 'something is still reserved';
  if (!hasFinished) return 'the agent could not use the results of its delegations';
  return delegations.every(({ state }) => state === 'ended') ? undefined : 'a delegation never ended';
}

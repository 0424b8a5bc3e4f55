import { formatUsd } from '../model';
import {
  addSpending,
  type Allowance,
  amountSpent,
  buildAllowance,
  callsOf,
  countEach,
  type Dimension,
  dimensions,
  type Estimate,
  isUnlimited,
  nothingSpent,
  type Spending,
} from './allowance';

/**
 * The allowance of one agent with everything below it, and how much of it is spent and reserved. Plain JSON, because it
 * is part of the agent's progress. The agent's own spending, that of finished delegations and the reservations of
 * running ones never exceed the allowance in sum, as long as no call exceeds its estimate.
 */
export interface Ledger {
  readonly allowance: Allowance;
  /** Spending of the agent's own calls. */
  readonly own: Spending;
  /** Spending of finished delegations. */
  readonly delegated: Spending;
  /** Reservations of running delegations, by delegation id. */
  readonly reserved: Readonly<Record<string, Allowance>>;
}

/** Creates a ledger with nothing spent. */
export function openLedger(allowance: Allowance): Ledger {
  const { calls } = allowance;
  return {
    allowance: buildAllowance((d) => allowance[d], calls),
    own: nothingSpent,
    delegated: nothingSpent,
    reserved: {},
  };
}

/** Returns the spending of the agent and its finished delegations. */
export function totalSpent({ own, delegated }: Ledger): Spending {
  return addSpending(own, delegated);
}

/** Returns the part of the allowance that is neither spent nor reserved. */
export function remainingAllowance(ledger: Ledger): Allowance {
  const spent = totalSpent(ledger);
  const calls = countEach(ledger.allowance.calls, (tool, limit) =>
    Math.max(0, limit - callsOf(spent, tool) - reservedCalls(tool, ledger)),
  );
  return buildAllowance((dimension) => {
    const bound = ledger.allowance[dimension];
    // A call that exceeded its estimate must not make the remainder negative.
    return bound === undefined
      ? undefined
      : Math.max(0, bound - amountSpent(dimension, spent) - reservedIn(dimension, ledger));
  }, calls);
}

/** Returns the limit and the remainder of each limited dimension. */
export function remainingBudget(
  ledger: Ledger,
): readonly { readonly name: Dimension; readonly limit: number; readonly left: number }[] {
  const left = remainingAllowance(ledger);
  return dimensions.flatMap((name) => {
    const limit = ledger.allowance[name];
    return limit === undefined ? [] : [{ name, limit, left: left[name] ?? 0 }];
  });
}

/** Returns the sum of what is reserved for running delegations. Dimensions in which nothing is are omitted. */
export function reservedAllowance(ledger: Ledger): Allowance {
  return buildAllowance((dimension) => reservedIn(dimension, ledger) || undefined);
}

function reservedCalls(tool: string, { reserved }: Ledger): number {
  return Object.values(reserved).reduce((sum, share) => sum + callsOf(share, tool), 0);
}

/** Returns how many more calls of a tool are allowed; undefined when its calls are not limited. */
export function callsLeft(ledger: Ledger, tool: string): number | undefined {
  const { calls = {} } = ledger.allowance;
  return Object.hasOwn(calls, tool) ? callsOf(remainingAllowance(ledger), tool) : undefined;
}

/** Records a call of a tool whose calls are limited, or takes it back if it is not made after all. */
export function chargeToolCall(ledger: Ledger, tool: string, count: 1 | -1 = 1): Ledger {
  const calls = { ...ledger.own.calls, [tool]: callsOf(ledger.own, tool) + count };
  return { ...ledger, own: { ...ledger.own, calls } };
}

/**
 * Returns the part of the allowance that is not spent. No later share can exceed it, although reservations that are
 * returned can make a share larger than what remains now.
 */
export function unspentAllowance(ledger: Ledger): Allowance {
  return remainingAllowance({ ...ledger, reserved: {} });
}

function reservedIn(dimension: Dimension, { reserved }: Ledger): number {
  return Object.values(reserved).reduce((sum, share) => sum + (share[dimension] ?? 0), 0);
}

/**
 * Checks one of the agent's own calls before it is made. Returns the shortfall if the call could exceed the allowance.
 */
export function shortfallForCall(ledger: Ledger, estimate: Estimate): Shortfall | undefined {
  return shortfallFor(estimate, remainingAllowance(ledger));
}

/** Records the spending of one of the agent's own calls. */
export function charge(ledger: Ledger, spending: Spending): Ledger {
  return { ...ledger, own: addSpending(ledger.own, spending) };
}

/** Adds to the allowance, when an operator raises the budget. Unlimited dimensions stay unlimited. */
export function increaseAllowance(ledger: Ledger, more: Allowance): Ledger {
  const { allowance } = ledger;
  const sum = (dimension: Dimension): number | undefined => {
    const bound = allowance[dimension];
    return bound === undefined ? undefined : bound + (more[dimension] ?? 0);
  };
  const calls = countEach(allowance.calls, (tool, limit) => limit + callsOf(more, tool));
  return isUnlimited(more) ? ledger : { ...ledger, allowance: buildAllowance(sum, calls) };
}

/** The reason why a step is not started: its upper bound exceeds what is left of the budget. */
export interface Shortfall {
  readonly dimension: Dimension;
  /** Upper bound of the step. */
  readonly needed: number;
  /** Remaining allowance. */
  readonly left: number;
}

/**
 * Returns the first dimension in which the step could exceed what is left; undefined when it fits exactly or better.
 */
export function shortfallFor(estimate: Estimate, left: Allowance): Shortfall | undefined {
  for (const dimension of dimensions) {
    const bound = left[dimension];
    if (bound !== undefined && estimate[dimension] > bound) {
      return { dimension, needed: estimate[dimension], left: bound };
    }
  }
  return undefined;
}

/** Formats a shortfall for operators and for the model whose step is not started. */
export function shortfallMessage({ dimension, needed, left }: Shortfall): string {
  const could = dimension === 'microUsd' ? 'cost' : 'take';
  const are = left === 1 || dimension === 'microUsd' ? 'is' : 'are';
  return (
    `The next step was not started: it could ${could} up to ${inWords(dimension, needed)}, but only ` +
    `${inWords(dimension, left)} of the budget ${are} left. ${remedyFor(dimension)}`
  );
}

/** The longest possible reply is counted in full, which surprises when a budget is small. */
function remedyFor(dimension: Dimension): string {
  return dimension === 'turns'
    ? 'Raise the budget or request less.'
    : 'Raise the budget, request less, or lower the maximum tokens of a reply (--max-tokens), which are counted in full.';
}

function inWords(dimension: Dimension, amount: number): string {
  const plural = amount === 1 ? '' : 's';
  switch (dimension) {
    case 'tokens':
      return `${amount} token${plural}`;
    case 'turns':
      return `${amount} turn${plural}`;
    case 'microUsd':
      return formatUsd(amount, 'exact');
  }
}

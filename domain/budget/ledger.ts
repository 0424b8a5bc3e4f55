import { addSpending, nothingSpent, type Allowance, type Spending } from './allowance';
import { allowanceOf, dimensions, spentIn, type Dimension } from './dimension';
import type { Estimate } from './estimate';
import { lackFor, type Lack } from './lack';

/**
 * What one agent may spend with everything below it, and where it went. Plain JSON: part of what an agent remembers.
 * Own spending, that of delegations that are over and what the running ones hold never add up to more than the
 * allowance, as long as no call takes more than its estimate.
 */
export interface Ledger {
  readonly allowance: Allowance;
  readonly own: Spending;
  readonly delegated: Spending;
  /** Held for the delegations under way, by their ids. */
  readonly reserved: Readonly<Record<string, Allowance>>;
}

export function openLedger(allowance: Allowance): Ledger {
  return { allowance: allowanceOf((d) => allowance[d]), own: nothingSpent, delegated: nothingSpent, reserved: {} };
}

export function totalSpent({ own, delegated }: Ledger): Spending {
  return addSpending(own, delegated);
}

/** What is neither spent nor held for a delegation. */
export function available(ledger: Ledger): Allowance {
  const spent = totalSpent(ledger);
  return allowanceOf((dimension) => {
    const bound = ledger.allowance[dimension];
    // A call that took more than its estimate must not make others owe.
    return bound === undefined
      ? undefined
      : Math.max(0, bound - spentIn(dimension, spent) - reservedIn(dimension, ledger));
  });
}

function reservedIn(dimension: Dimension, { reserved }: Ledger): number {
  return Object.values(reserved).reduce((sum, share) => sum + (share[dimension] ?? 0), 0);
}

/** Asked before each call of the agent's own; a lack means that the call is not made. */
export function admits(ledger: Ledger, estimate: Estimate): Lack | undefined {
  return lackFor(estimate, available(ledger));
}

/** After a call of the agent's own. */
export function charge(ledger: Ledger, spending: Spending): Ledger {
  return { ...ledger, own: addSpending(ledger.own, spending) };
}

/** An operator allows more. Where nothing was bounded, nothing will be. */
export function extend(ledger: Ledger, more: Allowance): Ledger {
  const { allowance } = ledger;
  const sum = (dimension: Dimension): number | undefined => {
    const bound = allowance[dimension];
    return bound === undefined ? undefined : bound + (more[dimension] ?? 0);
  };
  return dimensions.some((dimension) => more[dimension] !== undefined)
    ? { ...ledger, allowance: allowanceOf(sum) }
    : ledger;
}

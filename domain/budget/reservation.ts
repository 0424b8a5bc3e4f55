import { noUsage } from '../model/usage';
import { addSpending, nothingSpent, type Allowance, type Spending } from './allowance';
import { allowanceOf, isUnbounded, type Dimension } from './dimension';
import type { Estimate } from './estimate';
import { lackFor, type Lack } from './lack';
import { available, type Ledger } from './ledger';

export interface ShareWanted {
  /** What the delegation may have at most, whatever is there. */
  readonly cap?: Allowance;
  /** Delegations not yet started, this one included: each gets as much of what is left. */
  readonly waiting: number;
  /** Kept back for the agent's own next call and handoff: without it, the results would reach nobody. */
  readonly own: Estimate;
  /** The delegation's first call: a share that can't pay it is not worth starting. */
  readonly first: Estimate;
}

export type Reservation =
  | { readonly ok: true; readonly ledger: Ledger; readonly share: Allowance }
  | { readonly ok: false; readonly lack: Lack };

/** When a delegation leaves the queue. Asked again for one that is under way, it gives the share that it has. */
export function reserve(ledger: Ledger, id: string, wanted: ShareWanted): Reservation {
  const held = heldFor(ledger, id);
  if (held !== undefined) return { ok: true, ledger, share: held };
  const share = shareOf(ledger, wanted);
  const lack = lackFor(wanted.first, share);
  if (lack !== undefined) return { ok: false, lack };
  if (isUnbounded(share)) return { ok: true, ledger, share };
  return { ok: true, ledger: { ...ledger, reserved: { ...ledger.reserved, [id]: share } }, share };
}

function shareOf(ledger: Ledger, { cap = {}, waiting, own }: ShareWanted): Allowance {
  const left = available(ledger);
  const part = (dimension: Dimension): number | undefined => {
    const there = left[dimension];
    return there === undefined ? undefined : Math.max(0, Math.floor((there - own[dimension]) / Math.max(1, waiting)));
  };
  return allowanceOf((dimension) => lesser(cap[dimension], part(dimension)));
}

function lesser(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}

/** After a delegation that told what it spent, whether it succeeded or not: the rest of its share comes back. */
export function settle(ledger: Ledger, id: string, spent: Spending): Ledger {
  const { [id]: _returned, ...reserved } = ledger.reserved;
  return { ...ledger, reserved, delegated: addSpending(ledger.delegated, spent) };
}

/** After a delegation that can't tell what it spent, as one that was terminated: all that it held counts as spent. */
export function forfeit(ledger: Ledger, id: string): Ledger {
  return settle(ledger, id, spentWhole(heldFor(ledger, id)));
}

function spentWhole(share: Allowance | undefined): Spending {
  if (share === undefined) return nothingSpent;
  const { tokens = 0, microUsd = 0, turns = 0 } = share;
  // Of which kind the tokens were, nobody knows any more.
  return { usage: { ...noUsage, input: tokens }, microUsd, turns };
}

function heldFor({ reserved }: Ledger, id: string): Allowance | undefined {
  return Object.hasOwn(reserved, id) ? reserved[id] : undefined;
}

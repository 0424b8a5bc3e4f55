import { noUsage } from '../model';
import {
  addSpending,
  type Allowance,
  buildAllowance,
  countEach,
  type Dimension,
  type Estimate,
  isUnlimited,
  nothingSpent,
  type Spending,
  stricterCalls,
} from './allowance';
import { type Ledger, remainingAllowance, type Shortfall, shortfallFor } from './ledger';

/** A request for a share of the agent's remaining allowance. */
export interface ShareRequest {
  /** Maximum share of the delegation; unlimited when omitted. */
  readonly cap?: Allowance;
  /**
   * Number of delegations not yet started, including this one. The remaining allowance is divided equally among them.
   */
  readonly waiting: number;
  /** Upper bound of the agent's own next call and handoff. It is not shared, so that the agent can use the results. */
  readonly own: Estimate;
  /** Upper bound of the delegation's first call. A delegation whose share can't pay for it is not started. */
  readonly first: Estimate;
}

/** A successful reservation with its share, or the shortfall that prevents it. */
export type Reservation =
  | { readonly ok: true; readonly ledger: Ledger; readonly share: Allowance }
  | { readonly ok: false; readonly lack: Shortfall };

/**
 * Reserves a share when a delegation leaves the queue. Returns the existing share of a delegation that already runs.
 */
export function reserve(ledger: Ledger, id: string, request: ShareRequest): Reservation {
  const existing = reservationOf(ledger, id);
  if (existing !== undefined) return { ok: true, ledger, share: existing };
  const share = shareOf(ledger, request);
  const lack = shortfallFor(request.first, share);
  if (lack !== undefined) return { ok: false, lack };
  if (isUnlimited(share)) return { ok: true, ledger, share };
  return { ok: true, ledger: { ...ledger, reserved: { ...ledger.reserved, [id]: share } }, share };
}

function shareOf(ledger: Ledger, { cap = {}, waiting, own }: ShareRequest): Allowance {
  const left = remainingAllowance(ledger);
  const part = (dimension: Dimension): number | undefined => {
    const rest = left[dimension];
    return rest === undefined ? undefined : Math.max(0, Math.floor((rest - own[dimension]) / Math.max(1, waiting)));
  };
  // Rounded up, so that the first ones get a call each when there are fewer calls than delegations.
  const calls = countEach(left.calls, (_, rest) => Math.ceil(rest / Math.max(1, waiting)));
  return buildAllowance((dimension) => lesser(cap[dimension], part(dimension)), stricterCalls(calls, cap.calls));
}

function lesser(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}

/**
 * Settles the reservation of a delegation that reported its spending, successful or not. The rest of its share is
 * freed.
 */
export function settleReservation(ledger: Ledger, id: string, spent: Spending): Ledger {
  const { [id]: _returned, ...reserved } = ledger.reserved;
  return { ...ledger, reserved, delegated: addSpending(ledger.delegated, spent) };
}

/**
 * Settles the reservation of a delegation that ended without a report, with what was found out about its spending. How
 * often it called limited tools is not known, so all of those calls count as made.
 */
export function settleUnreported(ledger: Ledger, id: string, spent: Spending): Ledger {
  const { calls } = reservationOf(ledger, id) ?? {};
  return settleReservation(ledger, id, calls === undefined ? spent : { ...spent, calls });
}

/**
 * Forfeits the reservation of a delegation whose spending can't be found out. All of it counts as spent.
 */
export function forfeitReservation(ledger: Ledger, id: string): Ledger {
  return settleReservation(ledger, id, spentWhole(reservationOf(ledger, id)));
}

function spentWhole(share: Allowance | undefined): Spending {
  if (share === undefined) return nothingSpent;
  const { tokens = 0, microUsd = 0, turns = 0, calls } = share;
  // The kind of the tokens is unknown, so they all count as input.
  return { usage: { ...noUsage, input: tokens }, microUsd, turns, ...(calls === undefined ? {} : { calls }) };
}

function reservationOf({ reserved }: Ledger, id: string): Allowance | undefined {
  return Object.hasOwn(reserved, id) ? reserved[id] : undefined;
}

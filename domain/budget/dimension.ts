import { totalTokens } from '../model/usage';
import type { Allowance, Spending } from './allowance';

/** The units in which a budget is counted. */
export const dimensions = ['tokens', 'microUsd', 'turns'] as const;
/** One of the units in which a budget is counted. */
export type Dimension = (typeof dimensions)[number];

/** Returns the amount spent in one dimension. */
export function amountSpent(dimension: Dimension, { usage, microUsd, turns }: Spending): number {
  return { tokens: totalTokens(usage), microUsd, turns }[dimension];
}

/** Builds an allowance dimension by dimension. Unlimited dimensions are omitted, which keeps it small. */
export function buildAllowance(amountIn: (dimension: Dimension) => number | undefined): Allowance {
  const entries = dimensions.map((dimension) => [dimension, amountIn(dimension)] as const);
  return Object.fromEntries(entries.filter(([, amount]) => amount !== undefined));
}

/** Returns true if no dimension is limited. */
export function isUnlimited(allowance: Allowance): boolean {
  return dimensions.every((dimension) => allowance[dimension] === undefined);
}

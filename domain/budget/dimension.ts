import { totalTokens } from '../model/usage';
import type { Allowance, Spending } from './allowance';

/** What a budget is counted in. */
export const dimensions = ['tokens', 'microUsd', 'turns'] as const;
export type Dimension = (typeof dimensions)[number];

export function spentIn(dimension: Dimension, { usage, microUsd, turns }: Spending): number {
  return { tokens: totalTokens(usage), microUsd, turns }[dimension];
}

/** An allowance made up dimension by dimension; what is unbounded gets no entry at all, so that it stays small. */
export function allowanceOf(amountIn: (dimension: Dimension) => number | undefined): Allowance {
  const entries = dimensions.map((dimension) => [dimension, amountIn(dimension)] as const);
  return Object.fromEntries(entries.filter(([, amount]) => amount !== undefined));
}

export function isUnbounded(allowance: Allowance): boolean {
  return dimensions.every((dimension) => allowance[dimension] === undefined);
}

import type { Allowance } from './allowance';
import { dimensions, type Dimension } from './dimension';
import type { Estimate } from './estimate';

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
    `${inWords(dimension, left)} of the budget ${are} left. Raise the budget or request less.`
  );
}

function inWords(dimension: Dimension, amount: number): string {
  const plural = amount === 1 ? '' : 's';
  switch (dimension) {
    case 'tokens':
      return `${amount} token${plural}`;
    case 'turns':
      return `${amount} turn${plural}`;
    case 'microUsd':
      return dollars(amount);
  }
}

/** Formats an amount as `$1.50`, with up to six decimals for small amounts. */
export function dollars(microUsd: number): string {
  const [whole = '0', fraction = ''] = (microUsd / 1_000_000).toFixed(6).split('.');
  return `$${whole}.${fraction.replace(/0{1,4}$/, '')}`;
}

import type { Allowance } from './allowance';
import { dimensions, type Dimension } from './dimension';
import type { Estimate } from './estimate';

/** Why a step is not made: what it may need, and what is left. */
export interface Lack {
  readonly dimension: Dimension;
  readonly needed: number;
  readonly left: number;
}

/** The first dimension in which the step could take more than is left; exactly enough is enough. */
export function lackFor(estimate: Estimate, left: Allowance): Lack | undefined {
  for (const dimension of dimensions) {
    const bound = left[dimension];
    if (bound !== undefined && estimate[dimension] > bound) {
      return { dimension, needed: estimate[dimension], left: bound };
    }
  }
  return undefined;
}

/** For whoever set the budget, and for the model that asked for the step. */
export function lackMessage({ dimension, needed, left }: Lack): string {
  const could = dimension === 'microUsd' ? 'cost' : 'take';
  return (
    `The next step could ${could} ${inWords(dimension, needed)}, and ${inWords(dimension, left)} ` +
    `of the budget ${left === 1 || dimension === 'microUsd' ? 'is' : 'are'} left: it was not made. Allow more, or ask for less.`
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

/** $1.50, and as many digits more as small amounts need. */
export function dollars(microUsd: number): string {
  const [whole = '0', fraction = ''] = (microUsd / 1_000_000).toFixed(6).split('.');
  return `$${whole}.${fraction.replace(/0{1,4}$/, '')}`;
}

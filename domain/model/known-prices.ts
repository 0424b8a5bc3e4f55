import { InvalidInputError } from '../kernel/errors';
import { knownModels } from './models';
import type { Allowance } from '../budget/allowance';
import type { Price } from './prices';

type PriceTable = Readonly<Record<string, Price>>;

/** Default prices in US dollars per million tokens. Prices in the settings of a run take precedence. */
export const knownPrices: PriceTable = Object.fromEntries(
  Object.entries(knownModels).map(([name, { price }]) => [name, price]),
);

/** Returns the price of a model; undefined when it is neither configured nor known. */
export function findPrice(model: string, configured: PriceTable = {}): Price | undefined {
  if (Object.hasOwn(configured, model)) return configured[model];
  return Object.hasOwn(knownPrices, model) ? knownPrices[model] : undefined;
}

/**
 * Rejects a cost budget for a model without a price before the first call, because the budget could not be enforced.
 */
export function requirePrice(model: string, budget: Allowance | undefined, configured?: PriceTable): void {
  if (budget?.microUsd === undefined || findPrice(model, configured) !== undefined) return;
  throw new InvalidInputError(
    'budget.microUsd',
    `the price of "${model}" is unknown, so a cost budget cannot be enforced`,
    'Add its price to `prices`, or set a token budget instead.',
  );
}

import { InvalidInputError } from '../errors';
import { knownModels } from '../model/known-models';
import type { Allowance } from './allowance';
import type { Price } from './prices';

type PriceTable = Readonly<Record<string, Price>>;

/** Defaults in US dollars per million tokens; what the configuration says about a model comes first. */
export const knownPrices: PriceTable = Object.fromEntries(
  Object.entries(knownModels).map(([name, { price }]) => [name, price]),
);

export function priceOf(model: string, configured: PriceTable = {}): Price | undefined {
  if (Object.hasOwn(configured, model)) return configured[model];
  return Object.hasOwn(knownPrices, model) ? knownPrices[model] : undefined;
}

/** A bound on cost can't be kept for a model that has no price: better said before the first call than never. */
export function requirePrice(model: string, budget: Allowance | undefined, configured?: PriceTable): void {
  if (budget?.microUsd === undefined || priceOf(model, configured) !== undefined) return;
  throw new InvalidInputError(
    'budget.microUsd',
    `the price of "${model}" is not known, so its cost cannot be bounded`,
    'Give its price in `prices`, or bound tokens instead.',
  );
}

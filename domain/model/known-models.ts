import type { Price } from '../budget/prices';
import { InvalidInputError } from '../errors';
import type { ModelSettings } from './settings';

interface KnownModel {
  /** Tokens of context, on the safe side: occupancy is measured against it. */
  readonly window: number;
  /** A default: prices change and contracts differ, so `prices` in the settings of a run comes first. */
  readonly price: Price;
}

/** Writing to the provider's cache costs a quarter more than plain input, reading from it a tenth. */
function priced(input: number, output: number): Price {
  return { input, cacheRead: input / 10, cacheWrite: input * 1.25, output };
}

const opus: KnownModel = { window: 200_000, price: priced(5, 25) };
const sonnet: KnownModel = { window: 200_000, price: priced(3, 15) };
const haiku: KnownModel = { window: 200_000, price: priced(1, 5) };

/** Models whose window and price need no asking. Any other one works too, when its window is given. */
export const knownModels: Readonly<Record<string, KnownModel>> = {
  'claude-sonnet-5-5': sonnet,
  'claude-haiku-5-5': haiku,
  'claude-opus-5-5': opus,
  'claude-sonnet-5': sonnet,
  'claude-opus-5': opus,
  'claude-opus-4-8': opus,
  'claude-opus-4-7': opus,
  'claude-opus-4-6': opus,
  'claude-sonnet-4-6': sonnet,
  'claude-haiku-4-5': haiku,
};

export const defaultModel = 'claude-sonnet-5-5';
export const defaultMaxTokens = 8_192;

interface ModelWishes {
  readonly name?: string | undefined;
  readonly maxTokens?: number | undefined;
  readonly window?: number | undefined;
  readonly temperature?: number | undefined;
}

/** Fills in what was not said; an unknown model without a window is refused, since its limits could not be kept. */
export function chooseModel({
  name = defaultModel,
  maxTokens = defaultMaxTokens,
  window,
  temperature,
}: ModelWishes): ModelSettings {
  const known = Object.hasOwn(knownModels, name) ? knownModels[name] : undefined;
  const chosen = window ?? known?.window;
  if (chosen === undefined) {
    throw new InvalidInputError(
      'model',
      `"${name}" is not a known model`,
      `Use one of ${Object.keys(knownModels).join(', ')}, or give the window of yours in tokens with --window.`,
    );
  }
  if (maxTokens >= chosen) {
    throw new InvalidInputError(
      'maxTokens',
      `${maxTokens} leaves no room in a window of ${chosen}`,
      'Choose a smaller number.',
    );
  }
  return { name, maxTokens, window: chosen, ...(temperature === undefined ? {} : { temperature }) };
}

import { InvalidInputError } from '../errors';
import type { ModelSettings } from './settings';

interface KnownModel {
  /** Tokens of context, on the safe side: occupancy is measured against it. */
  readonly window: number;
}

const twoHundredThousand: KnownModel = { window: 200_000 };

/** Models whose window needs no asking. Any other one works too, when its window is given. */
export const knownModels: Readonly<Record<string, KnownModel>> = {
  'claude-sonnet-5-5': twoHundredThousand,
  'claude-haiku-5-5': twoHundredThousand,
  'claude-opus-5-5': twoHundredThousand,
  'claude-sonnet-5': twoHundredThousand,
  'claude-opus-5': twoHundredThousand,
  'claude-opus-4-8': twoHundredThousand,
  'claude-opus-4-7': twoHundredThousand,
  'claude-opus-4-6': twoHundredThousand,
  'claude-sonnet-4-6': twoHundredThousand,
  'claude-haiku-4-5': twoHundredThousand,
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

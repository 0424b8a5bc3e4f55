import type { AgentSettings } from '../agent';
import { requirePrice } from '../budget';
import { InvalidInputError } from '../kernel';
import { anotherModel } from '../model';
import { handoffThreshold } from './handoff';

type ModelsInUse = Pick<AgentSettings, 'model' | 'models' | 'prices' | 'budget' | 'handoff'>;

/**
 * Checks the models that take over when that of an agent can't be used, before the first call. Each must be known, must
 * have a price if the cost is limited, and must have a context window for any conversation that the agent's own model
 * may have had by then. Throws an `InvalidInputError`.
 */
export function requireFallback(settings: ModelsInUse): void {
  const { model, models, prices, budget } = settings;
  // What a handoff has to leave room for: the conversation up to the threshold, and one reply.
  const conversation = handoffThreshold(settings);
  for (const name of model.fallback ?? []) {
    if (name === model.name)
      throw new InvalidInputError('model.fallback', `"${name}" is the model itself`, 'Name other models.');
    const { window, maxTokens } = namingField(() => anotherModel(model, { name }, models));
    requirePrice(name, budget, prices, models);
    if (window >= conversation + maxTokens) continue;
    throw new InvalidInputError(
      'model.fallback',
      `the context window of "${name}" (${window} tokens) is too small: ${model.name} may have a conversation of ${conversation} tokens when it fails, and a reply takes up to ${maxTokens}`,
      'Name a model with a larger context window, or have agents hand off earlier (--handoff-at).',
    );
  }
}

/** Runs a check. An error names the field of the settings that has the models. */
function namingField<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    throw new InvalidInputError('model.fallback', error.reason, error.remedy);
  }
}

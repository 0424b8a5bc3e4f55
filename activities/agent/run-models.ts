import type { AgentSettings } from '../../domain/agent';
import { promptSettings, skillSettings } from '../../domain/delegation/prepare';
import { DispatchRefusedError, type SettingsOverrides } from '../../domain/delegation';
import { requireFallback } from '../../domain/handoff';
import { InvalidInputError } from '../../domain/kernel';
import { findFacts, joinCatalogs, type ModelCatalog, type ModelSettings } from '../../domain/model';
import type { PromptDefinition } from '../../domain/prompt';
import type { SkillDefinition } from '../../domain/skill';

/** Prompts and skills that agents of a run may have. */
interface Definitions {
  readonly prompts: readonly PromptDefinition[];
  readonly skills: readonly SkillDefinition[];
}

/**
 * Checks every model that agents of a run can have, when it starts: that of the run, of each skill and of each prompt, and
 * those that take over. Returns the run's settings with everything that is known of the models that take over, so that a
 * worker that knows something else does not change it. Throws an `InvalidInputError` that names the definition.
 */
export function settleModels(settings: AgentSettings, { prompts, skills }: Definitions): AgentSettings {
  requireFallback(settings);
  const own = [
    ...prompts.map((prompt) =>
      checked(`prompt ${prompt.ns}/${prompt.key}`, settings, () => promptSettings(prompt, settings)),
    ),
    ...skills.map((skill) => checked(`skill ${skill.name}`, settings, () => skillSettings(skill, settings))),
  ];
  const models = joinCatalogs(
    facts([settings.model, ...own.flatMap((model) => model ?? [])], settings),
    settings.models,
  );
  return models === undefined ? settings : { ...settings, models };
}

function checked(
  definition: string,
  settings: AgentSettings,
  wishes: () => SettingsOverrides,
): ModelSettings | undefined {
  try {
    const own = wishes();
    if (own.model !== undefined) requireFallback({ ...settings, ...own });
    return own.model;
  } catch (error) {
    if (!(error instanceof InvalidInputError || error instanceof DispatchRefusedError)) throw error;
    throw new InvalidInputError(
      definition,
      error.reason,
      `Describe the model in a file for BATON_MODELS or --models (docs/models.md), or correct the ${definition}.`,
    );
  }
}

/** Returns what is built in about the models that take over. */
function facts(all: readonly ModelSettings[], { models }: AgentSettings): ModelCatalog {
  const names = all.flatMap(({ fallback = [] }) => fallback);
  return Object.fromEntries(
    names.flatMap((name) => {
      const known = findFacts(name, models);
      return known === undefined ? [] : [[name, known] as const];
    }),
  );
}

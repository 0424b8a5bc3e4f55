import { type AgentSettings, completeSettings, type RequestedSettings, type RootRecord } from '../../domain/agent';
import { DispatchRefusedError, type SettingsOverrides } from '../../domain/delegation';
import { promptSettings, skillSettings } from '../../domain/delegation/prepare';
import { requireFallback } from '../../domain/handoff';
import { InvalidInputError } from '../../domain/kernel';
import { findFacts, joinCatalogs, type ModelCatalog, type ModelSettings } from '../../domain/model';
import type { PromptDefinition } from '../../domain/prompt';
import type { SkillDefinition } from '../../domain/skill';
import type { ModelPort, SharedDependencies } from '../dependencies';
import { modelNotes, reportUnusable, requireUsableModel } from '../model/usable-model';

/**
 * Adds the defaults of this worker to the settings of a run, and pins which models have a task queue of their own. Throws
 * like `completeSettings`.
 */
export function settingsFor(
  { modelDefaults, models, limitedModels = [] }: Pick<SharedDependencies, 'modelDefaults' | 'models' | 'limitedModels'>,
  requested: RequestedSettings,
): AgentSettings {
  const { limitedModels: _sent, ...settings } = completeSettings(requested, modelDefaults, models);
  return limitedModels.length === 0 ? settings : { ...settings, limitedModels: [...limitedModels] };
}

/** Prompts and skills that agents of a run may dispatch. */
interface Definitions {
  readonly prompts: readonly PromptDefinition[];
  readonly skills: readonly SkillDefinition[];
}

/** What was found out about the models of a run when it started. */
interface SettledModels {
  /**
   * What is known of models, with everything about those that may take over: a worker that knows something else does not
   * change it later. Empty when nothing is known beyond what is built in.
   */
  readonly known: Pick<AgentSettings, 'models'>;
  /** What providers cannot do; empty when there is nothing to say. */
  readonly notes: Pick<RootRecord, 'modelNotes'>;
}

/**
 * Checks the models of a run when it starts. `settings` are those of its root, whose model and the models that may take
 * over must be usable; throws otherwise. A skill or a prompt whose model is not becomes a note.
 */
export async function settleModels(
  port: ModelPort,
  settings: AgentSettings,
  { prompts, skills }: Definitions,
): Promise<SettledModels> {
  requireFallback(settings);
  const root = namesOf(settings.model);
  for (const name of root) await requireUsableModel(port, name);
  const wishes = [
    ...prompts.map((prompt) => wishesOf(`prompt ${prompt.ns}/${prompt.key}`, () => promptSettings(prompt, settings))),
    ...skills.map((skill) => wishesOf(`skill ${skill.name}`, () => skillSettings(skill, settings))),
  ];
  const problems = wishes.flatMap(({ definition, problem }) =>
    problem === undefined ? [] : [{ definition, problem }],
  );
  for (const { definition, problem } of problems) reportUnusable(port, definition, problem);
  const named = wishes.flatMap(({ definition, model }) => namesOf(model).map((name) => ({ definition, name })));
  const notes = [
    ...(await modelNotes(port, root, named)),
    ...problems.map(({ definition, problem }) => `${definition} cannot be dispatched: ${problem}`),
  ];
  const models = joinCatalogs(
    factsOfFallback([settings.model, ...wishes.flatMap(({ model }) => model ?? [])]),
    settings.models,
  );
  return {
    known: models === undefined ? {} : { models },
    notes: notes.length === 0 ? {} : { modelNotes: notes },
  };
}

function namesOf(model: ModelSettings | undefined): readonly string[] {
  return model === undefined ? [] : [model.name, ...(model.fallback ?? [])];
}

/** The model that a definition wishes, or why it can't have it. */
interface Wishes {
  readonly definition: string;
  readonly model?: ModelSettings | undefined;
  readonly problem?: string;
}

function wishesOf(definition: string, wishes: () => SettingsOverrides): Wishes {
  try {
    return { definition, model: wishes().model };
  } catch (error) {
    if (!(error instanceof DispatchRefusedError)) throw error;
    return { definition, problem: error.reason };
  }
}

/** Returns what is built in about the models that take over. */
function factsOfFallback(all: readonly ModelSettings[]): ModelCatalog {
  const names = all.flatMap(({ fallback = [] }) => fallback);
  return Object.fromEntries(
    names.flatMap((name) => {
      const facts = findFacts(name);
      return facts === undefined ? [] : [[name, facts] as const];
    }),
  );
}

/** Runs a check of a definition that the root has. What would refuse a delegation is invalid input of the run. */
export function asInput<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof DispatchRefusedError)) throw error;
    const remedy =
      'Describe the model in a file for BATON_MODELS or --models (docs/models.md), or correct the definition.';
    throw new InvalidInputError(error.field === 'skill' ? 'skill' : 'prompt', error.reason, remedy);
  }
}

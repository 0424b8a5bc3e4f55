import { defaultHandoff, type AgentSettings } from '../agent/settings';
import { InvalidInputError } from '../errors';
import { chooseModel, defaultMaxTokens } from '../model/known-models';
import type { ModelSettings } from '../model/settings';
import type { SkillDefinition } from '../skill';
import type { ChildSettings } from './prepared';
import { DispatchRefusedError } from './refusal';

type Given = Pick<AgentSettings, 'model' | 'limits' | 'handoff'>;

/** Where the agent of a skill works by other settings than whoever asks for it; what the skill leaves open is not there. */
export function skillSettings({ name, model, limits }: SkillDefinition, given: Given): ChildSettings {
  const { maxTurns, handoffAt, maxHandoffs, onFailure, budgetTokens, deadlineSeconds } = limits;
  const { at, max } = given.handoff ?? defaultHandoff;
  const ownModel = Object.values(model).some((wish) => wish !== undefined);
  return {
    ...(ownModel ? { model: modelOf(name, model, given.model) } : {}),
    // A bound of the run is not for a file to raise.
    ...(maxTurns === undefined
      ? {}
      : { limits: { ...given.limits, maxTurns: Math.min(maxTurns, given.limits.maxTurns) } }),
    ...(handoffAt === undefined && maxHandoffs === undefined
      ? {}
      : { handoff: { at: handoffAt ?? at, max: maxHandoffs ?? max } }),
    ...(onFailure === undefined ? {} : { onFailure }),
    ...(budgetTokens === undefined ? {} : { budgetTokens }),
    ...(deadlineSeconds === undefined ? {} : { deadlineSeconds }),
  };
}

function modelOf(skill: string, wishes: SkillDefinition['model'], given: ModelSettings): ModelSettings {
  const other = wishes.name !== undefined && wishes.name !== given.name;
  try {
    return chooseModel({
      name: wishes.name ?? given.name,
      // Another model has another window, in which the output limit of this one may not fit.
      maxTokens: wishes.maxTokens ?? (other ? Math.min(given.maxTokens, defaultMaxTokens) : given.maxTokens),
      window: wishes.window ?? (other ? undefined : given.window),
      temperature: wishes.temperature ?? given.temperature,
    });
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    const reason = `the model settings of "${skill}" do not fit those of this run: ${error.field}: ${error.reason}`;
    throw new DispatchRefusedError('skill', reason, 'Choose another skill, or do the work yourself.');
  }
}

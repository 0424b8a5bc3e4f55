import type { AgentSettings } from '../../agent';
import { handoffSettings, requireFallback } from '../../handoff';
import { InvalidInputError } from '../../kernel';
import { hasWishes, type ModelSettings, type ModelWishes, wishedModel } from '../../model';
import type { PromptDefinition } from '../../prompt';
import type { SkillDefinition } from '../../skill';
import { isDispatchTool, requestToolDescription, requestToolName, type ToolDescription } from '../../tool';
import { DispatchRefusedError, type SettingsOverrides } from '..';

type Given = Pick<AgentSettings, 'model' | 'models' | 'limits' | 'handoff' | 'prices' | 'budget'>;

/**
 * Returns the settings in which a skill's agent differs from its parent. Settings that the skill does not specify are
 * omitted.
 */
export function skillSettings({ name, model, limits }: SkillDefinition, given: Given): SettingsOverrides {
  const { maxTurns, handoffAt, maxHandoffs, onFailure, budgetTokens, deadlineSeconds } = limits;
  const { at, max } = handoffSettings(given);
  return {
    ...(hasWishes(model) ? { model: modelOf(`the skill "${name}"`, 'skill', model, given) } : {}),
    // A skill file can't raise a limit of the run.
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

/** Returns the settings in which an agent with this prompt differs from its parent or its run. */
export function promptSettings({ ns, key, model }: PromptDefinition, given: Given): SettingsOverrides {
  return hasWishes(model) ? { model: modelOf(`the prompt "${ns}/${key}"`, 'prompt_key', model, given) } : {};
}

function modelOf(whose: string, field: string, wishes: ModelWishes, given: Given): ModelSettings {
  try {
    const model = wishedModel(wishes, given.model, given.models);
    requireFallback({ ...given, model });
    return model;
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    const reason = `the model settings of ${whose} are not compatible with those of this run: ${error.field}: ${error.reason}`;
    throw new DispatchRefusedError(field, reason, 'Choose another one, or do the work yourself.');
  }
}

/**
 * Returns the tools of a skill's agent: those of its parent that the skill lists. A listed tool that the parent does
 * not have is omitted, because no agent may have more tools than its parent. If the skill leaves out some of the
 * parent's tools, the agent also gets `request_tool`.
 */
export function skillTools(
  skill: Pick<SkillDefinition, 'tools'>,
  parentTools: readonly ToolDescription[],
  depthLeft: boolean,
): ToolDescription[] {
  const listed = parentTools.filter(({ name }) => skill.tools.includes(name) && name !== requestToolName);
  const given = listed.filter(({ name }) => depthLeft || !isDispatchTool(name));
  const isHeldBack = ({ name }: ToolDescription): boolean => !skill.tools.includes(name) && isRequestable(name);
  return parentTools.some(isHeldBack) ? [...given, requestToolDescription()] : given;
}

/**
 * Returns whether an agent may request a tool. Dispatch tools can't be requested, because the agent's task decides
 * whether it may delegate; neither can `request_tool` itself.
 */
export function isRequestable(name: string): boolean {
  return !isDispatchTool(name) && name !== requestToolName;
}

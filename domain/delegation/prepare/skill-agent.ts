import type { AgentSettings } from '../../agent';
import { type CommandSettings, narrowCommands, runCommandDescription, runCommandName } from '../../command';
import { handoffSettings } from '../../handoff';
import { InvalidInputError } from '../../kernel';
import { defaultMaxTokens, type ModelSettings, resolveModel } from '../../model';
import type { SkillDefinition } from '../../skill';
import { isDispatchTool, requestToolDescription, requestToolName, type ToolDescription } from '../../tool';
import { DispatchRefusedError, type SettingsOverrides } from '..';

type Given = Pick<AgentSettings, 'model' | 'limits' | 'handoff' | 'commands'>;

/**
 * Returns the settings in which a skill's agent differs from its parent. Settings that the skill does not specify are
 * omitted.
 */
export function skillSettings({ name, model, limits, commands }: SkillDefinition, given: Given): SettingsOverrides {
  const { maxTurns, handoffAt, maxHandoffs, onFailure, budgetTokens, deadlineSeconds } = limits;
  const { at, max } = handoffSettings(given);
  const ownModel = Object.values(model).some((wish) => wish !== undefined);
  return {
    ...(ownModel ? { model: modelOf(name, model, given.model) } : {}),
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
    ...(commands === undefined ? {} : { commands: narrowCommands(given.commands, commands) }),
  };
}

function modelOf(skill: string, wishes: SkillDefinition['model'], given: ModelSettings): ModelSettings {
  const other = wishes.name !== undefined && wishes.name !== given.name;
  try {
    return resolveModel({
      name: wishes.name ?? given.name,
      // A different model may have a smaller context window, into which the parent's output limit does not fit.
      maxTokens: wishes.maxTokens ?? (other ? Math.min(given.maxTokens, defaultMaxTokens) : given.maxTokens),
      window: wishes.window ?? (other ? undefined : given.window),
      temperature: wishes.temperature ?? given.temperature,
    });
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    const reason = `the model settings of "${skill}" are not compatible with those of this run: ${error.field}: ${error.reason}`;
    throw new DispatchRefusedError('skill', reason, 'Choose another skill, or do the work yourself.');
  }
}

/**
 * Returns the tools of a skill's agent: those of its parent that the skill lists. A listed tool that the parent does
 * not have is omitted, because no agent may have more tools than its parent. If the skill leaves out some of the
 * parent's tools, the agent also gets `request_tool`. `commands` is what the skill itself grants.
 */
export function skillTools(
  skill: Pick<SkillDefinition, 'tools'>,
  parentTools: readonly ToolDescription[],
  depthLeft: boolean,
  commands?: CommandSettings,
): ToolDescription[] {
  const own = commands === undefined ? [] : [runCommandDescription(commands)];
  const listed = parentTools.filter(({ name }) => skill.tools.includes(name) && name !== requestToolName);
  const inherited = own.length === 0 ? listed : listed.filter(({ name }) => name !== runCommandName);
  const given = [...inherited, ...own].filter(({ name }) => depthLeft || !isDispatchTool(name));
  const has = (name: string): boolean => skill.tools.includes(name) || (own.length > 0 && name === runCommandName);
  const isHeldBack = ({ name }: ToolDescription): boolean => !has(name) && isRequestable(name);
  return parentTools.some(isHeldBack) ? [...given, requestToolDescription()] : given;
}

/**
 * Returns whether an agent may request a tool. Dispatch tools can't be requested, because the agent's task decides
 * whether it may delegate; neither can `request_tool` itself.
 */
export function isRequestable(name: string): boolean {
  return !isDispatchTool(name) && name !== requestToolName;
}

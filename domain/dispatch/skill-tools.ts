import type { SkillDefinition } from '../skill';
import type { ToolDescription } from '../tool/description';
import { describeRequestTool, requestToolName } from '../tool/request-tool';
import { isDispatchTool } from './tools';

/**
 * The tools of a skill's agent: those of whoever asks for it that the skill lists. One that it lists and that is not at
 * hand is just not there: capabilities only shrink on the way down. Where some are held back, it may ask for them.
 */
export function toolsOfSkill(
  skill: Pick<SkillDefinition, 'tools'>,
  atHand: readonly ToolDescription[],
  depthLeft: boolean,
): ToolDescription[] {
  const listed = atHand.filter(({ name }) => skill.tools.includes(name) && name !== requestToolName);
  const given = listed.filter(({ name }) => depthLeft || !isDispatchTool(name));
  const isHeldBack = ({ name }: ToolDescription): boolean => !skill.tools.includes(name) && canBeRequested(name);
  return atHand.some(isHeldBack) ? [...given, describeRequestTool()] : given;
}

/** Whether an agent may delegate is decided with its task, and the request itself is no tool to ask for. */
export function canBeRequested(name: string): boolean {
  return !isDispatchTool(name) && name !== requestToolName;
}

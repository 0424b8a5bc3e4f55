import type { SkillDefinition } from '../skill';
import type { ToolDescription } from '../tool/description';
import { isDispatchTool } from './tools';

/**
 * The tools of a skill's agent: those of whoever asks for it that the skill lists. One that it lists and that is not at
 * hand is just not there: capabilities only shrink on the way down.
 */
export function toolsOfSkill(
  skill: Pick<SkillDefinition, 'tools'>,
  atHand: readonly ToolDescription[],
  depthLeft: boolean,
): ToolDescription[] {
  return atHand.filter(({ name }) => skill.tools.includes(name) && (depthLeft || !isDispatchTool(name)));
}

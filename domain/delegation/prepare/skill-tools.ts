import type { SkillDefinition } from '../../skill';
import type { ToolDescription } from '../../tool/description';
import { requestToolDescription, requestToolName } from '../../tool/request-tool';
import { isDispatchTool } from '../../tool/tools';

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

import { dispatchSkillName } from '../delegation/dispatch-skill';
import { dispatchSubagentName } from '../delegation/dispatch-subagent';
import { dispatchSubagentsName } from '../delegation/dispatch-subagents';

const names: readonly string[] = [dispatchSubagentName, dispatchSubagentsName, dispatchSkillName];

/**
 * Returns whether a tool is a dispatch tool, which the workflow itself carries out as child workflows. An agent that
 * may not delegate has none of them.
 */
export function isDispatchTool(name: string): boolean {
  return names.includes(name);
}

import { dispatchSkillName } from './dispatch-skill';
import { dispatchSubagentName } from './dispatch-subagent';
import { dispatchSubagentsName } from './dispatch-subagents';

const names: readonly string[] = [dispatchSubagentName, dispatchSubagentsName, dispatchSkillName];

/** Tools that the workflow carries out itself, as children; an agent that may not delegate has none of them. */
export function isDispatchTool(name: string): boolean {
  return names.includes(name);
}

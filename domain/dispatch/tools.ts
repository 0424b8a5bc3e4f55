import { dispatchSubagentName } from './dispatch-subagent';
import { dispatchSubagentsName } from './dispatch-subagents';

/** Tools that the workflow carries out itself, as children; an agent that may not delegate has neither. */
export function isDispatchTool(name: string): boolean {
  return name === dispatchSubagentName || name === dispatchSubagentsName;
}

/** Names of the tools that delegate. */
export const dispatchSkillName = 'dispatch_skill';
export const dispatchSubagentName = 'dispatch_subagent';
export const dispatchSubagentsName = 'dispatch_subagents';

/**
 * Names of the built-in tools, in the order in which models see them. The worker must have exactly these tools; a skill
 * may also name others, which a worker adds.
 */
export const builtInToolNames = {
  listFiles: 'list_files',
  readFile: 'read_file',
  grep: 'grep',
  writeFile: 'write_file',
  editFile: 'edit_file',
  writeArtifact: 'write_artifact',
  readArtifact: 'read_artifact',
  addPlanSteps: 'add_plan_steps',
  updatePlanStep: 'update_plan_step',
  addNote: 'add_note',
} as const;

/** Returns whether every worker has a tool of this name. */
export function isBuiltInTool(name: string): boolean {
  return Object.values<string>(builtInToolNames).includes(name);
}

const dispatchToolNames: readonly string[] = [dispatchSubagentName, dispatchSubagentsName, dispatchSkillName];

/**
 * Returns whether a tool is a dispatch tool, which the workflow itself carries out as child workflows. An agent that
 * may not delegate has none of them.
 */
export function isDispatchTool(name: string): boolean {
  return dispatchToolNames.includes(name);
}

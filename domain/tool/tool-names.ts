export const dispatchSkillName = 'dispatch_skill';

export const dispatchSubagentName = 'dispatch_subagent';

export const dispatchSubagentsName = 'dispatch_subagents';

/** Names of the built-in tools. A skill may also name other tools, which a worker must provide. */
export const builtInToolNames: readonly string[] = [
  'list_files',
  'read_file',
  'grep',
  'write_file',
  'edit_file',
  'write_artifact',
  'read_artifact',
  'add_plan_steps',
  'update_plan_step',
  'add_note',
];

const names: readonly string[] = [dispatchSubagentName, dispatchSubagentsName, dispatchSkillName];

/**
 * Returns whether a tool is a dispatch tool, which the workflow itself carries out as child workflows. An agent that
 * may not delegate has none of them.
 */
export function isDispatchTool(name: string): boolean {
  return names.includes(name);
}

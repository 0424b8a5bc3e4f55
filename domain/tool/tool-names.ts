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

/** The tools that Baton brings, by their names on the wire. A skill may name others: then a worker has to bring them. */
export const ownToolNames: readonly string[] = [
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

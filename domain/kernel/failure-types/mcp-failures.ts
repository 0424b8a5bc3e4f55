/** Failure types of MCP servers. `index.ts` merges them into the complete table and checks their type. */
export const mcpFailureTypes = {
  'Mcp.UnknownServer': {
    meaning: 'A run, a prompt or a skill names an MCP server that the worker does not have.',
    remedy:
      'Correct the name, or add the server to `.mcp.json` in the folder of the worker and restart it. List servers with `baton mcp list`.',
    retryable: false,
  },
  'Mcp.UnknownTool': {
    meaning: 'A run, a prompt or a skill names a tool that the MCP server does not have, or that cannot be used.',
    remedy: 'Correct the name. List tools and problems with `baton mcp check <server>`.',
    retryable: false,
  },
  'Mcp.Unavailable': {
    meaning:
      'An MCP server could not be started or reached, or did not answer. During a run, the model sees this and decides how to continue.',
    remedy: 'Find out why with `baton mcp check <server>`, then start the run again.',
    retryable: false,
  },
  'Mcp.ToolChanged': {
    meaning:
      'An MCP server changed or removed a tool after the run had pinned it. The call was not made. The model sees this and decides how to continue.',
    remedy: 'Start a new run, which pins the tool as it is now.',
    retryable: false,
  },
  'Mcp.Interrupted': {
    meaning:
      'An MCP server exited, or its connection was lost, in the middle of a call. The model sees this and decides how to continue.',
    remedy: 'Check the log of the worker, which contains what the server wrote to stderr.',
    retryable: false,
  },
  'Mcp.Timeout': {
    meaning:
      'An MCP server did not finish a call in time. The call was cancelled. The model sees this and decides how to continue.',
    remedy: 'If calls need longer, raise `timeout` of the server in `.mcp.json` (milliseconds, at most 260000).',
    retryable: false,
  },
  'Mcp.TooLarge': {
    meaning:
      'An MCP server sent a message that is larger than 10 MiB. The connection was closed. The model sees this and decides how to continue.',
    remedy: 'None.',
    retryable: false,
  },
  'Mcp.InvalidResponse': {
    meaning:
      'An MCP server answered a call with an error of the protocol, or with something that is not a result. The model sees this and decides how to continue.',
    remedy: 'Check the server with `baton mcp check <server>`.',
    retryable: false,
  },
  'Mcp.SkillUnverified': {
    meaning:
      'A skill that an MCP server serves does not have the digest or the size that the server publishes for it, or the server publishes none.',
    remedy: 'Do not use the skill. Tell those who run the server.',
    retryable: false,
  },
} as const;

import { closestName, DomainError, type FailureType } from '../kernel';

/** A failure of an MCP server or of its configuration. The message is a complete sentence without secrets. */
export class McpError extends DomainError {
  constructor(
    readonly type: Extract<FailureType, `Mcp.${string}`>,
    readonly server: string,
    message: string,
  ) {
    super(message, { server });
  }
}

const maxNamesShown = 50;

/** The error for a server that is not configured. */
export function unknownServer(server: string, known: readonly string[]): McpError {
  const near = closestName(server, known);
  const exist = known.length === 0 ? 'This worker has no MCP servers.' : `Servers of this worker: ${namesOf(known)}.`;
  const hint = near === undefined ? '' : ` Did you mean "${near}"?`;
  return new McpError('Mcp.UnknownServer', server, `The MCP server "${server}" does not exist.${hint} ${exist}`);
}

/** The error for a tool that a server does not have, or that can't be used. `reason` says why it can't. */
export function unknownTool(
  server: string,
  tool: string,
  known: readonly string[],
  reason: string | undefined,
): McpError {
  const near = closestName(tool, known);
  const exist = known.length === 0 ? 'It has no tools that can be used.' : `Its tools: ${namesOf(known)}.`;
  const problem =
    reason === undefined
      ? `The MCP server "${server}" has no tool "${tool}".${near === undefined ? '' : ` Did you mean "${near}"?`}`
      : `The tool "${tool}" of the MCP server "${server}" can't be used: ${reason}.`;
  return new McpError('Mcp.UnknownTool', server, `${problem} ${exist}`);
}

function namesOf(names: readonly string[]): string {
  const shown = names.slice(0, maxNamesShown).join(', ');
  return names.length <= maxNamesShown ? shown : `${shown} and ${names.length - maxNamesShown} more`;
}

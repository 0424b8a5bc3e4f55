import { sha256Hex } from '../kernel';

const prefix = 'mcp__';
const maxLength = 64;
const hashLength = 8;

/**
 * Returns the name by which models call a tool of a server: `mcp__<server>__<tool>`. If a character is not allowed there,
 * if the name is too long, or if another server and tool could have the same name, it ends with a hash.
 */
export function mcpToolName(server: string, tool: string): string {
  const name = `${prefix}${allowed(server)}__${allowed(tool)}`;
  const isExact =
    name === `${prefix}${server}__${tool}` && !server.includes('__') && !server.endsWith('_') && !tool.startsWith('_');
  if (isExact && name.length <= maxLength) return name;
  const hash = sha256Hex(`${server}\0${tool}`).slice(0, hashLength);
  return `${name.slice(0, maxLength - hashLength - 1)}_${hash}`;
}

function allowed(text: string): string {
  return text.replace(/[^A-Za-z0-9_-]/g, '_');
}

/** Whether a tool with this name can be one of an MCP server. */
export function isMcpToolName(name: string): boolean {
  return name.startsWith(prefix);
}

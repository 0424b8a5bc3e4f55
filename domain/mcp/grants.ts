import { z } from 'zod';
import { checkValue, canonicalJson, InvalidInputError, utf8 } from '../kernel';
import { serverNameSchema } from './server-config';
import { mcpToolName } from './tool-name';

/** Every tool of a server. */
export const allTools = '*';

const toolNames = z
  .array(z.string().min(1).max(200))
  .min(1)
  .max(200)
  .refine((names) => new Set(names).size === names.length, 'must not name a tool twice');

/** Maximum bytes of grants as JSON. A run's are part of its input. */
const maxGrantBytes = 8 * 1024;

/** The MCP servers and tools that an agent may use: names of tools by server, or `*` for every tool of a server. */
export const mcpGrantsSchema = z
  .record(serverNameSchema, z.union([z.literal(allTools), toolNames], 'must be "*" or a list of tool names'))
  .refine(
    (grants) => utf8(canonicalJson(grants)).length <= maxGrantBytes,
    `must have at most ${maxGrantBytes} bytes as JSON`,
  );
/** The MCP servers and tools that an agent may use: names of tools by server, or `*` for every tool of a server. */
export type McpGrants = Readonly<z.infer<typeof mcpGrantsSchema>>;

/** Returns everything that either of two grants allows, in their order. */
export function mergeGrants(first: McpGrants = {}, second: McpGrants = {}): McpGrants {
  const merged = new Map(Object.entries(first));
  for (const [server, tools] of Object.entries(second)) {
    const given = merged.get(server);
    if (given === undefined) merged.set(server, tools);
    else if (given === allTools || tools === allTools) merged.set(server, allTools);
    else merged.set(server, [...new Set([...given, ...tools])]);
  }
  return Object.fromEntries(merged);
}

/** Parses `server` or `server:tool,tool`, as the command line accepts it. */
export function parseGrant(text: string): McpGrants {
  const colon = text.indexOf(':');
  const server = (colon === -1 ? text : text.slice(0, colon)).trim();
  const tools = colon === -1 ? allTools : namesIn(text.slice(colon + 1));
  const parsed = checkValue(mcpGrantsSchema, { [server]: tools });
  if (parsed.success) return parsed.data;
  throw new InvalidInputError(
    'mcp',
    `"${text}" does not name an MCP server`,
    'Use the name of a server, such as github, or of some of its tools: github:search_code,get_issue.',
  );
}

function namesIn(list: string): typeof allTools | string[] {
  const names = list.split(',').map((name) => name.trim());
  return names.length === 1 && names[0] === allTools ? allTools : [...new Set(names)];
}

/** Whether grants may include the tool that models call by this name. */
export function mayGrant(grants: McpGrants = {}, name: string): boolean {
  return Object.entries(grants).some(([server, tools]) =>
    tools === allTools
      ? name.startsWith(mcpToolName(server, 'x').slice(0, `mcp__${server}__`.length))
      : tools.some((tool) => mcpToolName(server, tool) === name),
  );
}

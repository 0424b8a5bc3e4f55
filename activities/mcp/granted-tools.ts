import { Context } from '@temporalio/activity';
import { z } from 'zod';
import { canonicalJson } from '../../domain/kernel';
import { allTools, type McpGrants, unknownServer, unknownTool } from '../../domain/mcp';
import { blobRefSchema, type RunStore } from '../../domain/store';
import { type ToolDescription, toolDescriptionSchema } from '../../domain/tool';
import { getJson, putJson } from '../../store/blobs';
import type { McpServers } from './servers';

/** What a run has pinned of a server: its tools, and why others can't be used. */
const pinnedServerSchema = z.object({
  tools: toolDescriptionSchema.array(),
  problems: z.array(z.object({ tool: z.string(), message: z.string(), isSkipped: z.boolean() })),
});
type PinnedServer = z.infer<typeof pinnedServerSchema>;

/**
 * Returns the tools that grants allow, as the run has pinned them. The first agent that may use a server pins all its
 * tools for the whole run. Throws an `McpError` for a server or a tool that does not exist.
 */
export async function grantedTools(
  { mcp: servers }: { readonly mcp?: McpServers | undefined },
  store: RunStore,
  grants: McpGrants = {},
): Promise<readonly ToolDescription[]> {
  const known = servers?.names ?? [];
  const missing = Object.keys(grants).find((server) => !known.includes(server));
  if (missing !== undefined) throw unknownServer(missing, known);
  if (servers === undefined) return [];
  const lists = await Promise.all(
    Object.entries(grants).map(async ([server, names]) => {
      return select(server, names, await pinnedServer(servers, store, server));
    }),
  );
  return lists.flat();
}

/** Adds tools to a list, except those that it has. */
export function withGranted(
  tools: readonly ToolDescription[],
  granted: readonly ToolDescription[],
): readonly ToolDescription[] {
  const added = granted.filter(
    ({ name }, index) =>
      tools.every((tool) => tool.name !== name) && granted.findIndex((tool) => tool.name === name) === index,
  );
  return added.length === 0 ? tools : [...tools, ...added];
}

async function pinnedServer(servers: McpServers, store: RunStore, server: string): Promise<PinnedServer> {
  const key = `mcp/${server}`;
  const needed = `tools of the MCP server ${server}`;
  const read = (bytes: Uint8Array): Promise<PinnedServer> => {
    const ref = blobRefSchema.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
    return getJson(store, ref, pinnedServerSchema, needed);
  };
  const earlier = await store.find(key);
  if (earlier !== undefined) return read(earlier);
  const listed = await putJson(store, await servers.list(server, Context.current().cancellationSignal));
  return read(await store.putIfAbsent(key, Buffer.from(canonicalJson(listed))));
}

function select(server: string, names: McpGrants[string], { tools, problems }: PinnedServer): ToolDescription[] {
  if (names === allTools) return tools;
  return names.map((name) => {
    const found = tools.find(({ mcp }) => mcp?.tool === name);
    if (found !== undefined) return found;
    const known = tools.flatMap(({ mcp }) => (mcp === undefined ? [] : [mcp.tool]));
    throw unknownTool(server, name, known, problems.find(({ tool, isSkipped }) => isSkipped && tool === name)?.message);
  });
}

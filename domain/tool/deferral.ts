import { estimateTokens, utf8 } from '../kernel';
import type { ToolDescription } from './description';
import { findToolDescription, findToolName } from './find-tool';

/** The tools of an agent: those whose descriptions its model receives, and those that it has to find first. */
export interface OfferedTools {
  /** Sent to the model. Contains `find_tool` if anything is deferred, and only then. */
  readonly shown: readonly ToolDescription[];
  /** Pinned, but not sent to the model. */
  readonly deferred: readonly ToolDescription[];
}

/** What decides which tools are deferred. */
export interface Offering {
  /** Maximum estimated tokens of the descriptions of all MCP tools. */
  readonly maxTokens: number;
  /** Tells which tools are never deferred, because the agent or its parent has found them. Default: none. */
  readonly isFound?: (name: string) => boolean;
}

/** Maximum estimated tokens of the descriptions of an agent's MCP tools, if the run does not specify `maxToolTokens`. */
export const defaultMaxToolTokens = 10_000;

/**
 * Decides which descriptions an agent's model receives. If those of the MCP tools exceed the limit, servers are deferred as
 * a whole, the one with the largest descriptions first, until the rest is within it. Other tools are never deferred.
 */
export function offerTools(
  tools: readonly ToolDescription[],
  { maxTokens, isFound = () => false }: Offering,
): OfferedTools {
  const own = withoutFindTool(tools);
  const ofServers = own.filter((tool) => tool.mcp?.server !== undefined);
  const deferrable = ofServers.filter(({ name }) => !isFound(name));
  const found = ofServers.filter(({ name }) => isFound(name)).reduce((sum, tool) => sum + descriptionTokens(tool), 0);
  const servers = new Set(deferredServers(tokensByServer(deferrable), maxTokens - found));
  const deferred = deferrable.filter((tool) => servers.has(tool.mcp?.server ?? ''));
  if (deferred.length === 0) return { shown: own, deferred };
  const isDeferred = new Set(deferred);
  return offered(
    own.filter((tool) => !isDeferred.has(tool)),
    deferred,
  );
}

/** Combines the two parts of an agent's tools, and adds `find_tool` with the right figures if anything is deferred. */
export function offered(shown: readonly ToolDescription[], deferred: readonly ToolDescription[]): OfferedTools {
  const own = withoutFindTool(shown);
  return { shown: deferred.length === 0 ? own : [...own, findToolDescription(deferred)], deferred };
}

/** Returns all tools of an agent, without `find_tool`, which only says what is deferred at the moment. */
export function heldTools({ shown, deferred }: OfferedTools): readonly ToolDescription[] {
  return deferred.length === 0 ? withoutFindTool(shown) : [...withoutFindTool(shown), ...deferred];
}

/**
 * Returns the tools of a parent as the prompt of its child lists them. `find_tool` says what is deferred for the child,
 * and is left out if nothing is.
 */
export function listedTools(
  ofParent: readonly ToolDescription[],
  ofChild: readonly ToolDescription[],
): readonly ToolDescription[] {
  return ofParent.some(isFindTool) ? [...withoutFindTool(ofParent), ...ofChild.filter(isFindTool)] : ofParent;
}

/** Returns the same list if `find_tool` is not in it. */
function withoutFindTool(tools: readonly ToolDescription[]): readonly ToolDescription[] {
  return tools.some(isFindTool) ? tools.filter((tool) => !isFindTool(tool)) : tools;
}

function isFindTool({ name }: ToolDescription): boolean {
  return name === findToolName;
}

/** Estimates the tokens that a tool's description takes in every request. */
export function descriptionTokens({ name, description, inputSchema }: ToolDescription): number {
  return estimateTokens(utf8(JSON.stringify({ name, description, inputSchema })).length);
}

/** A server, and what the descriptions of its tools take. */
interface DescribedServer {
  readonly server: string;
  readonly tools: readonly { readonly tokens: number }[];
}

/** Names the servers whose tools have to be deferred, so that the descriptions of the others are within the limit. */
export function deferredServers(servers: readonly DescribedServer[], maxTokens: number): string[] {
  const sizes = servers.map(({ server, tools }) => {
    return { server, tokens: tools.reduce((sum, tool) => sum + tool.tokens, 0) };
  });
  const largestFirst = sizes.sort((one, other) => other.tokens - one.tokens || (one.server < other.server ? -1 : 1));
  let excess = largestFirst.reduce((sum, { tokens }) => sum + tokens, 0) - maxTokens;
  return largestFirst.flatMap(({ server, tokens }) => {
    if (excess <= 0) return [];
    excess -= tokens;
    return [server];
  });
}

function tokensByServer(tools: readonly ToolDescription[]): DescribedServer[] {
  const servers = new Map<string, { tokens: number }[]>();
  for (const tool of tools) {
    const server = tool.mcp?.server ?? '';
    servers.set(server, [...(servers.get(server) ?? []), { tokens: descriptionTokens(tool) }]);
  }
  return [...servers].map(([server, described]) => ({ server, tools: described }));
}

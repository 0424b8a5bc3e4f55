import { redactSecrets } from '../../domain/kernel';
import { McpError } from '../../domain/mcp';
import type { BlobRef, RunStore } from '../../domain/store';
import { type ToolDescription, toolDescriptionSchema } from '../../domain/tool';
import { getJson } from '../../store/blobs';
import type { Tool, ToolContext, ToolReturn } from '../tool/define-tool';
import type { McpServers } from './servers';
import { storeResult } from './store-result';

/**
 * Finds a tool of an MCP server in an agent's pinned tools. Undefined if it is not one, or if this worker does not have
 * the server.
 */
export async function findMcpTool(
  servers: McpServers | undefined,
  store: RunStore,
  toolList: BlobRef | undefined,
  name: string,
): Promise<Tool | undefined> {
  if (servers === undefined || toolList === undefined) return undefined;
  const pinned = await getJson(store, toolList, toolDescriptionSchema.array(), 'tools of the agent');
  const description = pinned.find((tool) => tool.name === name);
  const { mcp } = description ?? {};
  if (description === undefined || mcp === undefined || !servers.has(mcp.server)) return undefined;
  return { description, run: (input, context) => callServer(servers, description, mcp, input, context) };
}

type Source = NonNullable<ToolDescription['mcp']>;

/** Calls the server. Whatever fails there is a result for the model. */
async function callServer(
  servers: McpServers,
  { name, safeToRepeat }: ToolDescription,
  source: Source,
  input: unknown,
  context: ToolContext,
): Promise<ToolReturn> {
  if (!isObject(input)) return { isError: true, message: 'The parameters must be an object. Correct them.' };
  const { signal } = context;
  try {
    const result = await servers.call({ ...source, arguments: input, safeToRepeat, key: keyOf(context), signal });
    return await storeResult(name, result, context);
  } catch (error) {
    if (!(error instanceof McpError)) throw error;
    return { isError: true, message: redactSecrets(explain(error, safeToRepeat)) };
  }
}

/** Failures after which nobody knows whether the call took effect. */
const uncertain: readonly string[] = ['Mcp.Interrupted', 'Mcp.Timeout', 'Mcp.TooLarge'];

function explain({ type, message }: McpError, safeToRepeat: boolean): string {
  const effect =
    uncertain.includes(type) && !safeToRepeat
      ? ' It may or may not have taken effect. Check before you repeat it.'
      : '';
  return `${type}: ${message}${effect}`;
}

function keyOf(context: ToolContext): string | undefined {
  return 'key' in context && typeof context.key === 'string' ? context.key : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

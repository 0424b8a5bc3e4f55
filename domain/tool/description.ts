import { z } from 'zod';

/** Name of a tool, as the Messages API allows it. */
export const toolNameSchema = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, 'letters, digits, _ and -, at most 64');

/**
 * Everything about a tool except the code that runs it. Descriptions are pinned when a run starts: later edits of a
 * tool do not affect runs in flight. They are sent to models and quoted in prompts.
 */
export const toolDescriptionSchema = z.strictObject({
  name: toolNameSchema,
  /**
   * Identifies the implementation, by convention `package/tool@version`. A tool with the same name and a different id
   * is a different tool, and a worker that has only that one cannot run the call. Change it when the meaning of the
   * parameters changes.
   */
  id: z.string().min(1).max(250),
  /** What the tool does and when to use it, for the model. */
  description: z.string().min(1),
  /** JSON Schema of the parameters, as sent to the model. */
  inputSchema: z.record(z.string(), z.json()),
  /** What a successful call means, in one sentence. */
  success: z.string().min(1),
  /** What a call costs, in a few words. */
  cost: z.string().min(1),
  /**
   * Whether running the tool twice has the same effect as running it once. If the worker dies during a call, a tool
   * that is safe to repeat runs again. Any other does not, and the model sees `Tool.Interrupted`.
   */
  safeToRepeat: z.boolean(),
  /** Names of the session slices that the tool reads. Omitted when it reads none. */
  reads: z.array(z.string().min(1)).optional(),
  /**
   * Whether a call may run in the activity of its turn: `quick` if it takes milliseconds, so that other calls may wait for
   * it; `never` if it takes long. Default: if all calls of the reply may. A tool that is not safe to repeat never does.
   */
  inline: z.enum(['quick', 'never']).optional(),
  /** Set for a tool of an MCP server: the server, the tool's name there, and the hash of what was pinned of it. */
  mcp: z.strictObject({ server: z.string(), tool: z.string(), hash: z.string() }).optional(),
});
export type ToolDescription = Readonly<z.infer<typeof toolDescriptionSchema>>;

/**
 * The facts about an agent's tools that workflow code needs. Keep it small: it is part of every child's start
 * arguments.
 */
export const pinnedToolsSchema = z.object({
  names: z.array(z.string()).readonly(),
  /** Names of the tools that are not safe to repeat. */
  once: z.array(z.string()).readonly(),
  /** Names of the slices that each tool reads, by tool name. Tools that read none are omitted. */
  reads: z.record(z.string(), z.array(z.string()).readonly()),
});
export type PinnedTools = Readonly<z.infer<typeof pinnedToolsSchema>>;

/** The facts about one pinned tool. */
export interface PinnedTool {
  readonly name: string;
  readonly safeToRepeat: boolean;
  readonly reads: readonly string[];
}

/** Reduces tool descriptions to the facts that workflow code needs. */
export function pinTools(tools: readonly ToolDescription[]): PinnedTools {
  return {
    names: tools.map(({ name }) => name),
    once: tools.filter(({ safeToRepeat }) => !safeToRepeat).map(({ name }) => name),
    reads: Object.fromEntries(tools.flatMap(({ name, reads = [] }) => (reads.length === 0 ? [] : [[name, reads]]))),
  };
}

/** Looks up a pinned tool by name; undefined when the agent does not have it. */
export function pinnedTool({ names, once, reads }: PinnedTools, name: string): PinnedTool | undefined {
  if (!names.includes(name)) return undefined;
  return { name, safeToRepeat: !once.includes(name), reads: Object.hasOwn(reads, name) ? (reads[name] ?? []) : [] };
}

/** Removes the tools for which `isRevoked` returns true. */
export function withoutTools(tools: PinnedTools, isRevoked: (name: string) => boolean): PinnedTools {
  const stays = (name: string): boolean => !isRevoked(name);
  const reads = Object.fromEntries(Object.entries(tools.reads).filter(([name]) => stays(name)));
  return { names: tools.names.filter(stays), once: tools.once.filter(stays), reads };
}

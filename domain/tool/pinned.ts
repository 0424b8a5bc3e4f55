import type { ToolDescription } from './description';

/**
 * The facts about an agent's tools that workflow code needs. Keep it small: it is part of every child's start
 * arguments.
 */
export interface PinnedTools {
  readonly names: readonly string[];
  /** Names of the tools that are not safe to repeat. */
  readonly once: readonly string[];
  /** Names of the slices that each tool reads, by tool name. Tools that read none are omitted. */
  readonly reads: Readonly<Record<string, readonly string[]>>;
}

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

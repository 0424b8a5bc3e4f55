import type { ToolDescription } from './description';

/** What workflow code needs to know of an agent's tools. Every child is started with it, so it is kept short. */
export interface PinnedTools {
  readonly names: readonly string[];
  /** Those that are not safe to repeat. */
  readonly once: readonly string[];
  /** Slices that they read, by the name of the tool. */
  readonly reads: Readonly<Record<string, readonly string[]>>;
}

export interface PinnedTool {
  readonly name: string;
  readonly safeToRepeat: boolean;
  readonly reads: readonly string[];
}

export function pinTools(tools: readonly ToolDescription[]): PinnedTools {
  return {
    names: tools.map(({ name }) => name),
    once: tools.filter(({ safeToRepeat }) => !safeToRepeat).map(({ name }) => name),
    reads: Object.fromEntries(tools.flatMap(({ name, reads = [] }) => (reads.length === 0 ? [] : [[name, reads]]))),
  };
}

export function pinnedTool({ names, once, reads }: PinnedTools, name: string): PinnedTool | undefined {
  if (!names.includes(name)) return undefined;
  return { name, safeToRepeat: !once.includes(name), reads: Object.hasOwn(reads, name) ? (reads[name] ?? []) : [] };
}

export function withoutTools(tools: PinnedTools, isTaken: (name: string) => boolean): PinnedTools {
  const stays = (name: string): boolean => !isTaken(name);
  const reads = Object.fromEntries(Object.entries(tools.reads).filter(([name]) => stays(name)));
  return { names: tools.names.filter(stays), once: tools.once.filter(stays), reads };
}

import { z } from 'zod';
import { truncateText } from '../kernel';
import type { ToolDescription } from './description';

export const findToolName = 'find_tool';

/** Tools that one call brings in if it does not say how many, and at most. */
const defaultFound = 5;
const maxFound = 20;

/** Parameters of `find_tool`. */
export const findToolSchema = z.strictObject({
  query: z
    .string()
    .max(500)
    .refine((query) => query.trim() !== '', 'must say what the tool should do, such as "create an issue"'),
  limit: z.int().min(1).max(maxFound).default(defaultFound),
});

/** Number of deferred tools by server, the largest first. */
type DeferredCounts = readonly (readonly [server: string, tools: number])[];

/** Counts deferred tools by server. */
function countByServer(deferred: readonly ToolDescription[]): DeferredCounts {
  const counts = new Map<string, number>();
  for (const tool of deferred) {
    const server = tool.mcp?.server ?? '';
    counts.set(server, (counts.get(server) ?? 0) + 1);
  }
  return [...counts].sort(([one, few], [other, many]) => many - few || (one < other ? -1 : 1));
}

/** Maximum servers that are listed by name. */
const maxServers = 30;

/** Says how many tools are deferred and from which servers, such as `12 tools: github (9), jira (3)`. */
export function describeDeferred(deferred: readonly ToolDescription[]): string {
  const counts = countByServer(deferred);
  const listed = counts.slice(0, maxServers).map(([server, tools]) => `${server} (${tools})`);
  const rest = counts.length - listed.length;
  const servers = [...listed, ...(rest === 0 ? [] : [`${rest} more servers`])].join(', ');
  return `${deferred.length} ${deferred.length === 1 ? 'tool' : 'tools'}: ${servers}`;
}

/**
 * Describes `find_tool`, which an agent has while descriptions of its tools are deferred. The description says how many
 * there are and from which servers, so it changes whenever some are brought in.
 */
export function findToolDescription(deferred: readonly ToolDescription[]): ToolDescription {
  const which = describeDeferred(deferred);
  return {
    name: findToolName,
    id: 'baton/find_tool@1',
    description:
      `Finds tools that you may use but whose descriptions are not in your list, and brings them in. Not in your list are ${which}. ` +
      'Search for what a tool should do, or for its name; you can use what was found from your next turn on.',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'What the tool should do, in a few words, or names of tools' },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: maxFound,
          description: `Maximum tools to bring in. Default: ${defaultFound}`,
        },
      },
      required: ['query'],
      additionalProperties: false,
    },
    success: `The best matches of your deferred tools are in your list from the next turn on. Deferred are ${which}.`,
    cost: 'Every tool that is brought in takes room in the context window.',
    safeToRepeat: true,
  };
}

/** Maximum characters of a tool's description in the result of a search. The model receives the whole one as well. */
const maxLine = 200;

/** Formats one line about a tool: its name, and the beginning of its description. */
export function toolLine({ name, description }: Pick<ToolDescription, 'name' | 'description'>): string {
  return `- \`${name}\`: ${truncateText(description.replace(/\s+/g, ' ').trim(), maxLine)}`;
}

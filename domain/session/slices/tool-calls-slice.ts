import { z } from 'zod';
import { toolNameSchema } from '../../tool';
import { recordsOf, type Session } from '../session';
import { defineSlice, eventHandler } from '../slice';

/** Number of recent calls that the session keeps. The complete list is in the transcripts. */
const keptToolCalls = 500;

/** One tool call. Also the value of the event `toolInvoked`. */
const toolCallSchema = z.strictObject({
  tool: toolNameSchema,
  callId: z.string().min(1).max(100),
  isError: z.boolean(),
  turn: z.int().nonnegative(),
});

/** The most recent tool calls. */
export const toolCallsSlice = defineSlice({
  name: 'toolCalls',
  record: toolCallSchema,
  conflict: 'append',
  // Not `append()`, which drops equal records: a provider may give two calls the same id.
  on: { toolInvoked: (calls, call) => [...calls, call].slice(-keptToolCalls) },
  summarize: () => [],
});

/** Number of calls and errors of one tool. */
const toolUseSchema = z.strictObject({
  tool: toolNameSchema,
  calls: z.int().positive(),
  errors: z.int().nonnegative(),
});
export type ToolUse = Readonly<z.infer<typeof toolUseSchema>>;

/** Totals per tool, in order of first use. A separate slice, because `toolCalls` drops old calls. */
export const toolUseSlice = defineSlice({
  name: 'toolUse',
  record: toolUseSchema,
  conflict: 'lastWrite',
  on: {
    toolInvoked: eventHandler(toolCallSchema, (uses: readonly ToolUse[], { tool, isError }) => {
      const errors = isError ? 1 : 0;
      if (!uses.some((use) => use.tool === tool)) return [...uses, { tool, calls: 1, errors }];
      return uses.map((use) => (use.tool === tool ? { tool, calls: use.calls + 1, errors: use.errors + errors } : use));
    }),
  },
  summarize: () => [],
});

/**
 * Returns the tools that were used, each once, in order of first use. With `since`, only those used after that state of
 * the session, because a delegation starts with its parent's records. The order is then exact for the last 500 calls,
 * and tools used only before them come first.
 */
export function toolsUsed(session: Pick<Session, 'slices'>, since?: Pick<Session, 'slices'>): readonly string[] {
  const uses = recordsOf(session, toolUseSlice);
  if (since === undefined) return uses.map(({ tool }) => tool);
  const before = new Map(recordsOf(since, toolUseSlice).map(({ tool, calls }) => [tool, calls]));
  const grown = uses.filter(({ tool, calls }) => calls > (before.get(tool) ?? 0));
  const fresh = grown.reduce((sum, { tool, calls }) => sum + calls - (before.get(tool) ?? 0), 0);
  const rows = fresh === 0 ? [] : recordsOf(session, toolCallsSlice).slice(-fresh);
  const seen = new Set(rows.map(({ tool }) => tool));
  return [...grown.map(({ tool }) => tool).filter((tool) => !seen.has(tool)), ...seen];
}

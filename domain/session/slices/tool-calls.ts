import { z } from 'zod';
import { toolNameSchema } from '../../tool/description';
import { recordsOf, type Session } from '../session';
import { defineSlice, reducing } from '../slice';

/** Enough to see what an agent did lately; the whole story is in its transcript. */
export const keptToolCalls = 500;

/** One call in a line. Also the value of the event `toolInvoked`. */
export const toolCallSchema = z.strictObject({
  tool: toolNameSchema,
  callId: z.string().min(1).max(100),
  isError: z.boolean(),
  turn: z.int().nonnegative(),
});
export type ToolCallRow = Readonly<z.infer<typeof toolCallSchema>>;

export const toolCallsSlice = defineSlice({
  name: 'toolCalls',
  record: toolCallSchema,
  conflict: 'append',
  // Not `append()`: two calls are two calls, even where a provider gives them the same id.
  on: { toolInvoked: (calls, call) => [...calls, call].slice(-keptToolCalls) },
  summarize: () => [],
});

export const toolUseSchema = z.strictObject({
  tool: toolNameSchema,
  calls: z.int().positive(),
  errors: z.int().nonnegative(),
});
export type ToolUse = Readonly<z.infer<typeof toolUseSchema>>;

/** A slice of its own, since it must outlast the calls that `toolCalls` has dropped. In order of first use. */
export const toolUseSlice = defineSlice({
  name: 'toolUse',
  record: toolUseSchema,
  conflict: 'lastWrite',
  on: {
    toolInvoked: reducing(toolCallSchema, (uses: readonly ToolUse[], { tool, isError }) => {
      const errors = isError ? 1 : 0;
      if (!uses.some((use) => use.tool === tool)) return [...uses, { tool, calls: 1, errors }];
      return uses.map((use) => (use.tool === tool ? { tool, calls: use.calls + 1, errors: use.errors + errors } : use));
    }),
  },
  summarize: () => [],
});

/**
 * The tools that were used, each once, in order of first use; with `since`, those used after that state of the session
 * (a delegate starts with what its parent used). Then the order is exact for the last 500 calls; tools that were used
 * only before them come first.
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

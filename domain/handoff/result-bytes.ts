/** Maximum bytes of one tool result in any context window; about 25,000 tokens. */
export const maxToolResultBytes = 100 * 1024;
/** Minimum limit for one tool result. A shorter result would be useless to the model. */
export const minToolResultBytes = 4 * 1024;

/**
 * Returns the maximum bytes of one tool result, so that a single result can't push an agent with an empty conversation
 * past its handoff threshold. This is about a third of the usable context window, at 3 bytes per token. `at` is the
 * share of the context window at which the agent hands off.
 */
export function maxResultBytesFor(window: number, at: number): number {
  return Math.min(maxToolResultBytes, Math.max(minToolResultBytes, Math.floor(window * at)));
}

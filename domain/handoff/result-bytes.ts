/** About 25,000 tokens: what one tool result may take of a window, however large that is. */
export const maxToolResultBytes = 100 * 1024;
/** Less than this says nothing. */
export const minToolResultBytes = 4 * 1024;

/**
 * What one tool result may take, so that no single one brings an agent from an empty window past its limit: about a third of
 * what it may fill, at 3 bytes a token. `at` is the share of the window at which it hands over.
 */
export function toolResultBytes(window: number, at: number): number {
  return Math.min(maxToolResultBytes, Math.max(minToolResultBytes, Math.floor(window * at)));
}

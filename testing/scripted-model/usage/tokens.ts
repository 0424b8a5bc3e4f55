/** Assumed bytes per token: close enough to reality, and the same on every machine. */
export const bytesPerToken = 4;

/** Returns the number of tokens in this many bytes. */
export function tokensIn(bytes: number): number {
  return Math.ceil(bytes / bytesPerToken);
}

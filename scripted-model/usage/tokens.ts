/** Four bytes make a token: close enough to the truth, and the same on every machine. */
export const bytesPerToken = 4;

export function tokensIn(bytes: number): number {
  return Math.ceil(bytes / bytesPerToken);
}

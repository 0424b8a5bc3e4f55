/** Name of an agent's handoff as an artifact: `HANDOFF.md`, then `HANDOFF-2.md` and so on. */
export function handoffName(number: number): string {
  return number <= 1 ? 'HANDOFF.md' : `HANDOFF-${number}.md`;
}

/** The first such name from that number on that nothing else has: an artifact is never overwritten by a handoff. */
export function freeHandoffName(number: number, taken: readonly string[], folder?: string): string {
  const names = new Set(taken);
  const nameOf = (at: number): string => `${folder === undefined ? '' : `${folder}/`}${handoffName(at)}`;
  let next = number;
  while (names.has(nameOf(next))) next += 1;
  return nameOf(next);
}

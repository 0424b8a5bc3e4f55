/** Name of an agent's handoff as an artifact: `HANDOFF.md`, then `HANDOFF-2.md` and so on. */
export function handoffName(number: number): string {
  return number <= 1 ? 'HANDOFF.md' : `HANDOFF-${number}.md`;
}

/** The first such name from that number on that nothing else has: an artifact is never overwritten by a handoff. */
export function freeHandoffName(number: number, taken: readonly string[]): string {
  const names = new Set(taken);
  let next = number;
  while (names.has(handoffName(next))) next += 1;
  return handoffName(next);
}

/** Returns the artifact name of an agent's handoff: `HANDOFF.md`, then `HANDOFF-2.md` and so on. */
export function handoffName(number: number): string {
  return number <= 1 ? 'HANDOFF.md' : `HANDOFF-${number}.md`;
}

/**
 * Returns the first handoff name from `number` on that no artifact has, so that a handoff never overwrites an artifact.
 */
export function freeHandoffName(number: number, taken: readonly string[], folder?: string): string {
  const names = new Set(taken);
  const nameOf = (at: number): string => `${folder === undefined ? '' : `${folder}/`}${handoffName(at)}`;
  let next = number;
  while (names.has(nameOf(next))) next += 1;
  return nameOf(next);
}

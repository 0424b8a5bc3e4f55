/**
 * Number of rows by which a list must scroll so that what the reader looks at stays where it is. The first of the preferred
 * rows that was and is there is kept, else the first visible row that is still there.
 */
export function anchorShift(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
  firstVisible: number,
  preferred: readonly (string | null)[],
): number {
  const visible = [...before].filter(([, index]) => index >= firstVisible).map(([key]) => key);
  for (const key of [...preferred, ...visible]) {
    const [old, now] = [before.get(key ?? ''), after.get(key ?? '')];
    if (old !== undefined && now !== undefined) return now - old;
  }
  return 0;
}

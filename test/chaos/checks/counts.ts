/** How often things have to be there. */
export interface Wanted {
  readonly once: readonly string[];
  /** At most once: by agents that an operator terminated. */
  readonly maybe?: readonly string[];
  /** Once or twice: by agents that were reset after they had written to a shared session. */
  readonly twice?: readonly string[];
}

/** Describes what is missing, there too often, or not wanted at all. */
export function deviations(what: string, found: readonly string[], { once, maybe = [], twice = [] }: Wanted): string[] {
  const counts = new Map<string, number>();
  for (const each of found) counts.set(each, (counts.get(each) ?? 0) + 1);
  const most = new Map<string, number>([
    ...once.map((each) => [each, 1] as const),
    ...maybe.map((each) => [each, 1] as const),
    ...twice.map((each) => [each, 2] as const),
  ]);
  const lost = [...once, ...twice].filter((each) => !counts.has(each)).map((each) => `the ${what} "${each}" is lost`);
  const tooMany = [...counts].flatMap(([each, count]) => {
    const allowed = most.get(each);
    if (allowed === undefined) return [`there is a ${what} "${each}" that nobody should have written`];
    return count > allowed ? [`the ${what} "${each}" is there ${count} times`] : [];
  });
  return [...lost, ...tooMany];
}

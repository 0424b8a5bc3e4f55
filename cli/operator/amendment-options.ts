/** Collects the values of a repeatable option. */
export function severalNames(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** Returns every way to change one value of a JSON document, with the path of the change. */
export function changedOnce(
  value: unknown,
  change: (leaf: unknown) => unknown,
  path: readonly string[] = [],
): Changed[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) =>
      changedOnce(item, change, [...path, String(index)]).map(({ field, document }) => ({
        field,
        document: value.map((other: unknown, at) => (at === index ? document : other)),
      })),
    );
  }
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([key, item]) =>
      changedOnce(item, change, [...path, key]).map(({ field, document }) => ({
        field,
        document: { ...value, [key]: document },
      })),
    );
  }
  return [{ field: path.join('.'), document: change(value) }];
}

export interface Changed {
  readonly field: string;
  readonly document: unknown;
}

export function different(leaf: unknown): unknown {
  if (typeof leaf === 'string') return `${leaf}x`;
  if (typeof leaf === 'number') return leaf + 1;
  if (typeof leaf === 'boolean') return !leaf;
  return 'x';
}

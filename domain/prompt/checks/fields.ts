/** One string of an input, with the place it stands in, written as `tooling.tools[0].id`. */
export interface AuthoredField {
  readonly field: string;
  readonly text: string;
}

/** Every string of a value, in the order in which they stand there. */
export function authoredFields(value: unknown, field = ''): AuthoredField[] {
  if (typeof value === 'string') return [{ field, text: value }];
  if (Array.isArray(value)) return value.flatMap((item, index) => authoredFields(item, `${field}[${index}]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => authoredFields(item, field === '' ? key : `${field}.${key}`));
}

export function fieldName(path: readonly PropertyKey[]): string {
  return path.reduce<string>((name, key) => {
    if (typeof key === 'number') return `${name}[${key}]`;
    return name === '' ? String(key) : `${name}.${String(key)}`;
  }, '');
}

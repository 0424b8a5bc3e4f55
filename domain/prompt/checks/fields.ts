/** One string of an input and its path, such as `tooling.tools[0].id`. */
export interface AuthoredField {
  readonly field: string;
  readonly text: string;
}

/** Returns all strings of a value, in order. */
export function authoredFields(value: unknown, field = ''): AuthoredField[] {
  if (typeof value === 'string') return [{ field, text: value }];
  if (Array.isArray(value)) return value.flatMap((item, index) => authoredFields(item, `${field}[${index}]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => authoredFields(item, field === '' ? key : `${field}.${key}`));
}

/** Formats a path of keys, such as `tooling.tools[0].id`. */
export function fieldName(path: readonly PropertyKey[]): string {
  return path.reduce<string>((name, key) => {
    if (typeof key === 'number') return `${name}[${key}]`;
    return name === '' ? String(key) : `${name}.${String(key)}`;
  }, '');
}

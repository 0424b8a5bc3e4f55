/** Fields of a value that another program may have made, so nothing is known about them. */
export type Facts = Readonly<Record<string, unknown>>;

/** Returns the fields of an object, and none of any other value. */
export function facts(value: unknown): Facts {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** Returns the items of a list, and none of any other value. */
export function items(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

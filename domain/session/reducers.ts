import { canonicalText } from './frozen-records';
import type { Reducer } from './slice';

/** A reducer for slices of any record type that has the properties of `Least`. */
type AnyReducer<Least extends object> = <R extends Least>(records: readonly R[], value: R) => readonly R[];

/** Reducer that adds the value at the end, unless an equal record exists. Repeating an event has no effect. */
export function append(): AnyReducer<object> {
  return (records, value) => {
    const text = canonicalText(value);
    return records.some((record) => canonicalText(record) === text) ? records : [...records, value];
  };
}

/**
 * Reducer that replaces the record with the same key in place, or adds the value at the end. The key is a field name or
 * a function.
 */
export function upsertBy<K extends string>(field: K): AnyReducer<Readonly<Record<K, string>>>;
export function upsertBy<R extends object>(key: (record: R) => string): Reducer<R>;
export function upsertBy(key: string | ((record: never) => string)): AnyReducer<object> {
  const keyOf = (record: object): unknown =>
    typeof key === 'string' ? (record as Readonly<Record<string, unknown>>)[key] : key(record as never);
  return (records, value) => {
    const at = records.findIndex((record) => keyOf(record) === keyOf(value));
    return at === -1 ? [...records, value] : [...records.slice(0, at), value, ...records.slice(at + 1)];
  };
}

/** Reducer that keeps only the newest record. */
export function replaceLatest(): AnyReducer<object> {
  return (_records, value) => [value];
}

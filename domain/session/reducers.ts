import { canonicalText } from './sealed';
import type { Reducer } from './slice';

/** Fits the records of any slice. */
type AnyReducer<Least extends object> = <R extends Least>(records: readonly R[], value: R) => readonly R[];

/** Adds the value at the end, unless an equal one is there already: repeating an event does no harm. */
export function append(): AnyReducer<object> {
  return (records, value) => {
    const text = canonicalText(value);
    return records.some((record) => canonicalText(record) === text) ? records : [...records, value];
  };
}

/** Replaces the record with the same key where it stands, or adds the value at the end. The key: a field, or a function. */
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

/** The slice holds one record: the newest. */
export function replaceLatest(): AnyReducer<object> {
  return (_records, value) => [value];
}

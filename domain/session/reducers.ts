import { canonicalText } from './sealed';
import type { Reducer } from './slice';

/** Adds the value at the end, unless an equal one is there already: repeating an event does no harm. */
export function append<R extends object>(): Reducer<R> {
  return (records, value) => {
    const text = canonicalText(value);
    return records.some((record) => canonicalText(record) === text) ? records : [...records, value];
  };
}

/** Replaces the record with the same key where it stands, or adds the value at the end. */
export function upsertBy<R extends object>(key: (record: R) => string): Reducer<R> {
  return (records, value) => {
    const wanted = key(value);
    const at = records.findIndex((record) => key(record) === wanted);
    return at === -1 ? [...records, value] : [...records.slice(0, at), value, ...records.slice(at + 1)];
  };
}

/** The slice holds one record: the newest. */
export function replaceLatest<R extends object>(): Reducer<R> {
  return (_records, value) => [value];
}

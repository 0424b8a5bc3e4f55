import { utf8 } from '../hash';
import { canonicalJson } from '../json';
import type { JsonObject } from '../json-value';
import { plainRecord } from './plain-json';

export type Records = readonly JsonObject[];

/**
 * Canonical text and size of records, and sizes of lists. Derived data that is looked up by identity, which is safe
 * because only frozen copies get in; so a session of thousands of records is measured at the cost of what is new.
 */
const recordTexts = new WeakMap<object, string>();
const recordBytes = new WeakMap<object, number>();
const listBytes = new WeakMap<Records, number>();

export function canonicalText(record: object): string {
  const known = recordTexts.get(record);
  if (known !== undefined) return known;
  const text = canonicalJson(record);
  // Only what is ours: another record can still be changed.
  if (recordBytes.has(record)) recordTexts.set(record, text);
  return text;
}

/** Bytes of the list's canonical JSON. */
export function bytesOfList(records: Records): number {
  return listBytes.get(records) ?? measureList(ownList(records));
}

/** A list of frozen records, from now on immutable itself. */
export function sealList(records: JsonObject[]): Records {
  Object.freeze(records);
  listBytes.set(records, measureList(records));
  return records;
}

/** The list itself if it is ours, else a frozen copy: a list that came out of a payload can still be changed by others. */
export function ownList(records: Records): Records {
  if (listBytes.has(records)) return records;
  return sealList(records.map((record, index) => plainRecord(record, [String(index)])));
}

function measureList(records: Records): number {
  const commas = Math.max(0, records.length - 1);
  return records.reduce((sum, record) => sum + bytesOf(record), 2 + commas);
}

/** Of its canonical JSON, which has its keys in another order but is as long. */
function bytesOf(record: JsonObject): number {
  const known = recordBytes.get(record);
  if (known !== undefined) return known;
  const bytes = utf8(JSON.stringify(record)).length;
  recordBytes.set(record, bytes);
  return bytes;
}

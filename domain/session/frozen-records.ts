import type { z } from 'zod';
import { checkValue, canonicalJson, firstIssue, type Json, type JsonObject, utf8 } from '../kernel';
import { plainRecord } from './plain-json';

/** The records of one slice. */
export type Records = readonly JsonObject[];

/**
 * Caches of the canonical text and size of records, and of the size of lists. They are keyed by identity, which is safe
 * because only frozen copies are cached. So measuring a session of thousands of records costs only as much as what is
 * new.
 */
const recordTexts = new WeakMap<object, string>();
const recordBytes = new WeakMap<object, number>();
const listBytes = new WeakMap<Records, number>();

/** Returns the canonical JSON of a record. */
export function canonicalText(record: object): string {
  const cached = recordTexts.get(record);
  if (cached !== undefined) return cached;
  const text = canonicalJson(record);
  // Cache only records that this module froze, because others may still change.
  if (recordBytes.has(record)) recordTexts.set(record, text);
  return text;
}

/** Returns the size of a list's canonical JSON in bytes. */
export function bytesOfList(records: Records): number {
  return listBytes.get(records) ?? measureList(toFrozenList(records));
}

/**
 * How a list continues an older one: without its oldest records, with those after them in the same order, and then with
 * others. Most events add one record, so that only what is new has to be looked at.
 */
export interface Continuation {
  readonly before: Records;
  /** How many of the oldest records are gone. */
  readonly dropped: number;
  /** How many records after them are still there, in the same order. */
  readonly kept: number;
}

/** Compares a list with the one that it was made from. Only identical records count as kept. */
export function continuationOf(before: Records, after: readonly unknown[]): Continuation {
  const dropped = Math.max(0, before.indexOf(after[0] as JsonObject));
  const most = Math.min(before.length - dropped, after.length);
  let kept = 0;
  while (kept < most && after[kept] === before[dropped + kept]) kept += 1;
  return { before, dropped, kept };
}

/** Freezes a list whose records are already frozen, and caches its size. */
export function freezeList(records: JsonObject[], since?: Continuation): Records {
  Object.freeze(records);
  listBytes.set(records, since === undefined ? measureList(records) : measureContinued(records, since));
  return records;
}

/**
 * Returns the list itself if this module froze it, and a frozen copy otherwise. Lists from payloads may still change.
 */
export function toFrozenList(records: Records): Records {
  if (listBytes.has(records)) return records;
  return freezeList(records.map((record, index) => plainRecord(record, [String(index)])));
}

function measureList(records: Records): number {
  return frameOf(records) + bytesOfAll(records);
}

/** The size of a list, from that of the list before it. */
function measureContinued(records: Records, { before, dropped, kept }: Continuation): number {
  const gone = bytesOfAll(before.slice(0, dropped)) + bytesOfAll(before.slice(dropped + kept));
  const still = bytesOfList(before) - frameOf(before) - gone;
  return frameOf(records) + still + bytesOfAll(records.slice(kept));
}

/** Brackets and commas. */
function frameOf(records: Records): number {
  return 2 + Math.max(0, records.length - 1);
}

function bytesOfAll(records: Records): number {
  return records.reduce((sum, record) => sum + bytesOf(record), 0);
}

/** Returns the size of a record's canonical JSON. Plain JSON has its keys in a different order but the same length. */
function bytesOf(record: JsonObject): number {
  const cached = recordBytes.get(record);
  if (cached !== undefined) return cached;
  const bytes = utf8(JSON.stringify(record)).length;
  recordBytes.set(record, bytes);
  return bytes;
}

/** The first problem of a value: the path of a field and the reason. */
export interface Violation {
  readonly field: string;
  readonly reason: string;
}

const changesValue = 'the schema changes the value (a default, a conversion, or a dropped key)';

/** Compares two JSON values. Most have their keys in the same order; only others need the slower canonical form. */
function isSame(parsed: unknown, value: Json): boolean {
  return JSON.stringify(parsed) === JSON.stringify(value) || canonicalJson(parsed) === canonicalJson(value);
}

/**
 * Checks a value against a schema; undefined when it is valid. A schema that changes the value is a violation too,
 * because a record would otherwise depend on how often it has been checked.
 */
export function schemaViolation(schema: z.ZodType, value: Json): Violation | undefined {
  try {
    const parsed = checkValue(schema, value);
    if (parsed.success) {
      return isSame(parsed.data, value) ? undefined : { field: 'value', reason: changesValue };
    }
    const { field, reason } = firstIssue(parsed.error, 'value');
    return { field, reason };
  } catch (error) {
    // A refinement by the slice's author threw, or is asynchronous.
    return { field: 'value', reason: error instanceof Error ? error.message : String(error) };
  }
}

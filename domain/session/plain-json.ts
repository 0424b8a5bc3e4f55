import { DomainError, isWellFormedUnicode, type Json, type JsonObject } from '../kernel';

/** A value that a payload converter would change, with the path to the problem. */
export class NotPlainJsonError extends DomainError {
  readonly type = 'Session.InvalidValue';

  constructor(
    readonly field: string,
    readonly reason: string,
  ) {
    super(`${field}: ${reason}`, { field, reason });
  }
}

/**
 * Returns a deep-frozen copy in plain JSON. Throws a `NotPlainJsonError` for everything that a payload converter would
 * change silently: maps, sets, dates, class instances, NaN, unpaired surrogates. The copy is frozen so that a reducer
 * that mutates its input fails at once, on every machine.
 */
function plainCopy(value: unknown, path: readonly string[] = []): Json {
  switch (typeof value) {
    case 'string':
      return wellFormed(value, path);
    case 'boolean':
      return value;
    case 'number':
      if (!Number.isFinite(value)) refuse(path, `${value} cannot be represented as JSON`);
      return value === 0 ? 0 : value; // JSON has no negative zero
    case 'object':
      return value === null ? null : copyObject(value, path);
    default:
      return refuse(path, `a value of type ${typeof value} cannot be represented as JSON`);
  }
}

/** Like `plainCopy`, for a value that must be an object, as every record must. */
export function plainRecord(value: unknown, path: readonly string[] = []): JsonObject {
  const copy = plainCopy(value, path);
  if (!isObject(copy)) refuse(path, 'must be an object');
  return copy as JsonObject;
}

function isObject(value: Json): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function copyObject(value: object, path: readonly string[]): Json {
  if (path.length >= maxSessionDepth) refuse(path, `nested more than ${maxSessionDepth} levels deep`);
  if (Array.isArray(value)) {
    // Not `map`, which would keep the holes of a sparse array.
    return Object.freeze(Array.from<unknown, Json>(value, (item, index) => plainCopy(item, [...path, String(index)])));
  }
  if (!hasPlainPrototype(value)) refuse(path, 'only plain objects can be represented as JSON');
  const copy: Record<string, Json> = {};
  for (const [key, item] of Object.entries(value)) {
    const inside = [...path, key];
    if (key === '__proto__') refuse(inside, 'not allowed as a property name');
    wellFormed(key, inside);
    // As in `JSON.stringify`, undefined properties are omitted.
    if (item !== undefined) copy[key] = plainCopy(item, inside);
  }
  return Object.freeze(copy);
}

/**
 * Checks the length of the prototype chain: values from outside the workflow sandbox have another `Object.prototype`.
 */
function hasPlainPrototype(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function wellFormed(text: string, path: readonly string[]): string {
  if (!isWellFormedUnicode(text)) refuse(path, 'an unpaired surrogate');
  return text;
}

function refuse(path: readonly string[], reason: string): never {
  throw new NotPlainJsonError(path.length === 0 ? 'value' : path.join('.'), reason);
}

/** Maximum bytes of a whole session, as canonical JSON in UTF-8. Larger values belong in the store. */
export const maxSessionBytes = 256 * 1024;

/**
 * Maximum bytes of one event, as canonical JSON in UTF-8. Senders pass texts over 1 KiB as refs, so a few texts fit.
 */
export const maxEventBytes = 4 * 1024;

/**
 * Maximum nesting of a value. Recursing into deeper values could overflow the stack on some machines and not on others.
 */
const maxSessionDepth = 32;

/** Maximum length of a session summary in a prompt, in UTF-16 code units. */
export const maxSummaryLength = 4_000;

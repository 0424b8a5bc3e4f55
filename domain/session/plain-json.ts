import { DomainError } from '../errors';
import type { Json, JsonObject } from '../json-value';
import { isWellFormed } from '../prompt/bytes';
import { maxDepth } from './limits';

/** A value that would not come back the same from a payload, and where in it. */
export class NotPlainError extends DomainError {
  readonly type = 'Session.InvalidValue';

  constructor(
    readonly field: string,
    readonly reason: string,
  ) {
    super(`${field}: ${reason}`, { field, reason });
  }
}

/**
 * A deep-frozen copy in plain JSON. Refuses whatever a payload converter would change without a word: maps, sets, dates,
 * class instances, NaN, half a surrogate pair. Frozen, so that a reducer that mutates fails at once, on every machine.
 */
export function plainCopy(value: unknown, path: readonly string[] = []): Json {
  switch (typeof value) {
    case 'string':
      return wellFormed(value, path);
    case 'boolean':
      return value;
    case 'number':
      if (!Number.isFinite(value)) refuse(path, `${value} has no JSON form`);
      return value === 0 ? 0 : value; // JSON has no negative zero
    case 'object':
      return value === null ? null : copyObject(value, path);
    default:
      return refuse(path, `${typeof value} has no JSON form`);
  }
}

/** The same for something that must be an object, as every record is. */
export function plainRecord(value: unknown, path: readonly string[] = []): JsonObject {
  const copy = plainCopy(value, path);
  if (!isObject(copy)) refuse(path, 'must be an object');
  return copy as JsonObject;
}

function isObject(value: Json): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function copyObject(value: object, path: readonly string[]): Json {
  if (path.length >= maxDepth) refuse(path, `nested more than ${maxDepth} deep`);
  if (Array.isArray(value)) {
    // Not `map`: it would skip holes and keep them.
    return Object.freeze(Array.from<unknown, Json>(value, (item, index) => plainCopy(item, [...path, String(index)])));
  }
  if (!hasPlainPrototype(value)) refuse(path, 'only plain objects have a JSON form');
  const copy: Record<string, Json> = {};
  for (const [key, item] of Object.entries(value)) {
    const inside = [...path, key];
    if (key === '__proto__') refuse(inside, 'not allowed as a name');
    wellFormed(key, inside);
    // As in JSON, a property that is undefined is one that is not there.
    if (item !== undefined) copy[key] = plainCopy(item, inside);
  }
  return Object.freeze(copy);
}

/** Asked of the chain and not of `Object.prototype`: what comes from outside the sandbox has another one. */
function hasPlainPrototype(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function wellFormed(text: string, path: readonly string[]): string {
  if (!isWellFormed(text)) refuse(path, 'half a surrogate pair');
  return text;
}

function refuse(path: readonly string[], reason: string): never {
  throw new NotPlainError(path.length === 0 ? 'value' : path.join('.'), reason);
}

import { invalidRequest } from '../api';

/** A JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** An escape of half a character, after all escaped backslashes were removed. UTF-8 itself cannot contain any. */
const halfCharacter = /\\u[dD][89abAB]..(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..)\\u[dD][c-fC-F]/;

/** Parses a request body, or throws the API's error. */
export function parseJson(body: Buffer): unknown {
  const text = body.toString('utf8');
  if (halfCharacter.test(text.replaceAll('\\\\', '')))
    throw invalidRequest('The request body is not valid JSON: unpaired surrogate');
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalidRequest(`The request body is not valid JSON: ${error instanceof Error ? error.message : ''}`);
  }
}

/** Form of the names of tools. */
export const namePattern = /^[a-zA-Z0-9_-]{1,128}$/;

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the value if it is an object; throws the API's error otherwise. */
export function asObject(value: unknown, path: string): JsonObject {
  if (value === undefined) throw invalidRequest(`${path}: Field required`);
  if (!isObject(value)) throw invalidRequest(`${path}: Input should be a valid dictionary`);
  return value;
}

/** Returns the value if it is a list; throws the API's error otherwise. */
export function asArray(value: unknown, path: string): readonly unknown[] {
  if (value === undefined) throw invalidRequest(`${path}: Field required`);
  if (!Array.isArray(value)) throw invalidRequest(`${path}: Input should be a valid list`);
  return value;
}

/** Returns the value if it is a string; throws the API's error otherwise. */
export function asString(value: unknown, path: string): string {
  if (value === undefined) throw invalidRequest(`${path}: Field required`);
  if (typeof value !== 'string') throw invalidRequest(`${path}: Input should be a valid string`);
  return value;
}

/** Rejects unknown fields, as the API does to detect misplaced ones. */
export function onlyKnown(value: JsonObject, known: ReadonlySet<string>, path = ''): void {
  const extra = Object.keys(value).find((key) => !known.has(key));
  if (extra !== undefined) throw invalidRequest(`${path}${extra}: Extra inputs are not permitted`);
}

import { ApiError } from '../../api';
import { isObject, type JsonObject } from '../../validate/parse';

/** Creates the error for a malformed request. `param` names the part of the request that is wrong. */
export function invalidParameter(message: string, param: string, code?: string): ApiError {
  return new ApiError('invalid_request_error', message, { param, ...(code === undefined ? {} : { code }) });
}

/** Creates the error for a missing part of a request. */
function missing(param: string): ApiError {
  return invalidParameter(`Missing required parameter: '${param}'.`, param, 'missing_required_parameter');
}

/** Creates the error for a part of a request that has the wrong type. */
export function wrongType(param: string, expected: string, value: unknown): ApiError {
  const message = `Invalid type for '${param}': expected ${expected}, but got ${describe(value)} instead.`;
  return invalidParameter(message, param, 'invalid_type');
}

/** Creates the error for a value that is not one of those allowed. */
export function invalidValue(param: string, value: unknown, allowed: readonly string[]): ApiError {
  const list = allowed.map((each) => `'${each}'`).join(', ');
  return invalidParameter(`Invalid value: '${String(value)}'. Supported values are: ${list}.`, param, 'invalid_value');
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  switch (typeof value) {
    case 'object':
      return 'an object';
    case 'number':
      return Number.isInteger(value) ? 'an integer' : 'a decimal number';
    default:
      return `a ${typeof value}`;
  }
}

/** Returns the value if it is an object; throws the API's error otherwise. */
export function requireObject(value: unknown, param: string): JsonObject {
  if (value === undefined) throw missing(param);
  if (!isObject(value)) throw wrongType(param, 'an object', value);
  return value;
}

/** Returns the value if it is a list; throws the API's error otherwise. */
export function requireArray(value: unknown, param: string): readonly unknown[] {
  if (value === undefined) throw missing(param);
  if (!Array.isArray(value)) throw wrongType(param, 'an array of objects', value);
  return value;
}

/** Returns the value if it is a string; throws the API's error otherwise. */
export function requireString(value: unknown, param: string): string {
  if (value === undefined) throw missing(param);
  if (typeof value !== 'string') throw wrongType(param, 'a string', value);
  return value;
}

/** Checks a value that may be omitted or null. */
export function requireOptional(value: unknown, param: string, type: 'boolean' | 'number' | 'string'): void {
  if (value === undefined || value === null || typeof value === type) return;
  throw wrongType(param, `a ${type}`, value);
}

/** Rejects unknown fields, as the API does to detect misplaced ones. */
export function requireKnown(value: JsonObject, known: ReadonlySet<string>, param = ''): void {
  const extra = Object.keys(value).find((key) => !known.has(key));
  if (extra === undefined) return;
  const path = param === '' ? extra : `${param}.${extra}`;
  throw invalidParameter(`Unrecognized request argument supplied: ${path}`, path, 'unknown_parameter');
}

/** Form of the names of tools. */
const functionName = /^[a-zA-Z0-9_-]{1,64}$/;

/** Checks the name of a tool. */
export function requireFunctionName(value: unknown, param: string): string {
  const name = requireString(value, param);
  if (functionName.test(name)) return name;
  throw invalidParameter(
    `Invalid '${param}': string does not match pattern. Expected a string that matches the pattern '${functionName.source}'.`,
    param,
    'invalid_value',
  );
}

import canonicalize from 'canonicalize';
import { InvalidJsonError } from './errors';

export type { Json, JsonObject } from './json-value';

/** The one text of a JSON value (RFC 8785): what is hashed, stored and compared. */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new InvalidJsonError('The value has no JSON form');
  return text;
}

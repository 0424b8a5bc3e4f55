import canonicalize from 'canonicalize';
import { InvalidJsonError } from './errors';

export type { Json, JsonObject } from './json-value';

/** Returns the canonical text of a JSON value (RFC 8785). This is the text that is hashed, stored and compared. */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new InvalidJsonError('The value cannot be represented as JSON');
  return text;
}

import canonicalize from 'canonicalize';
import { InvalidJsonError } from './errors';

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = Readonly<Record<string, Json>>;

/** The one text of a JSON value (RFC 8785): what is hashed, stored and compared. */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new InvalidJsonError('The value has no JSON form');
  return text;
}

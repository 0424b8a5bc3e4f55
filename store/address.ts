import { resolve } from 'node:path';
import { InvalidInputError } from '../domain/kernel';

// The address of a store, as in BATON_STORE:
//
//   file:./folder
//   postgres://user:password@host/database?schema=baton&pool=10&timeout=30&migrate=off&cache=64
//   s3://bucket/prefix?journal=postgres://…&endpoint=http://127.0.0.1:7070&region=eu-central-1&path-style=on
//
// What follows the question mark and is not ours is passed to the client of PostgreSQL, such as `sslmode`.

/** A store in a folder. */
export interface FileAddress {
  readonly kind: 'file';
  readonly folder: string;
}

/** A store in a database. */
export interface PostgresAddress {
  readonly kind: 'postgres';
  /** Address for the client, with the password. */
  readonly url: string;
  readonly schema: string;
  /** Maximum connections of a process. */
  readonly pool: number;
  /** Maximum milliseconds of a statement, and for connecting. */
  readonly timeoutMs: number;
  /** Whether tables are created and changed when the store is opened. */
  readonly migrates: boolean;
  readonly cacheBytes: number;
}

/** A store in a bucket. */
export interface S3Address {
  readonly kind: 's3';
  readonly bucket: string;
  /** Begin of all keys; empty or ends with a slash. */
  readonly prefix: string;
  readonly endpoint: string | undefined;
  readonly region: string | undefined;
  /** Whether the bucket is part of the path instead of the host name. */
  readonly pathStyle: boolean;
  readonly timeoutMs: number;
  readonly cacheBytes: number;
  /** Where the journal is; undefined if it is in the bucket too. */
  readonly journal: PostgresAddress | undefined;
}

/** The address of a store, taken apart. */
export type StoreAddress = FileAddress | PostgresAddress | S3Address;

const allowed = 'Use file:<folder>, postgres://<host>/<database> or s3://<bucket>/<prefix>?journal=postgres://….';
const mebibyte = 1024 * 1024;

/** Takes an address apart. Throws an `InvalidInputError`, which quotes no password. */
export function parseStoreAddress(text: string): StoreAddress {
  if (text.startsWith('file:'))
    return { kind: 'file', folder: resolve(text.slice('file:'.length).replace(/^\/\/(?=\/)/, '')) };
  if (!URL.canParse(text)) throw invalid('it is not the address of a store');
  const url = new URL(text);
  if (url.protocol === 'postgres:' || url.protocol === 'postgresql:') return postgresAddress(url);
  if (url.protocol === 's3:') return s3Address(url);
  throw invalid(`it begins with "${url.protocol}"`);
}

/** Returns an address for people. Everything between `//` and `@` may contain a password, and so may parameters. */
export function shownAddress(text: string): string {
  return text
    .replace(/:\/\/[^@?]*@/g, '://…@')
    .replace(/%3A%2F%2F[^&]*%40/gi, '%3A%2F%2F…%40')
    .replace(/\b(\w*(?:password|secret)\w*)=[^&]*/gi, '$1=…');
}

/** Returns the secrets in an address, so that they can be removed from logs. */
export function secretsOfAddress(text: string): readonly string[] {
  if (text.startsWith('file:') || !URL.canParse(text)) return [];
  const { password, searchParams } = new URL(text);
  const journal = searchParams.get('journal');
  const own = password === '' ? [] : [password, decodeURIComponent(password)];
  return [...new Set([...own, ...(journal === null ? [] : secretsOfAddress(journal))])];
}

function postgresAddress(url: URL): PostgresAddress {
  const take = taker(url);
  const own = {
    schema: take('schema') ?? 'baton',
    pool: count('pool', take('pool'), 10),
    timeoutMs: 1_000 * count('timeout', take('timeout'), 30),
    migrates: isOn('migrate', take('migrate'), true),
    cacheBytes: mebibyte * count('cache', take('cache'), 64),
  };
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(own.schema)) throw invalid('schema must consist of a-z, 0-9 and _');
  if (url.hostname === '' && !url.searchParams.has('host')) throw invalid('the host is missing');
  if (url.pathname.length < 2) throw invalid('the name of the database is missing');
  return { kind: 'postgres', url: url.href, ...own };
}

function s3Address(url: URL): S3Address {
  const take = taker(url);
  const [journal, endpoint, region] = [take('journal'), take('endpoint'), take('region')];
  const address: S3Address = {
    kind: 's3',
    bucket: url.hostname,
    prefix: url.pathname.replace(/^\/+|\/+$/g, '').replace(/$/, (end) => (url.pathname.length > 1 ? '/' : end)),
    endpoint,
    region,
    // Servers other than that of AWS often have no host name for each bucket.
    pathStyle: isOn('path-style', take('path-style'), endpoint !== undefined),
    timeoutMs: 1_000 * count('timeout', take('timeout'), 30),
    cacheBytes: mebibyte * count('cache', take('cache'), 64),
    journal: journal === undefined ? undefined : journalAddress(journal),
  };
  const [unknown] = url.searchParams.keys();
  if (unknown !== undefined) throw invalid(`"${unknown}" is not a part of the address of a bucket`);
  if (address.bucket === '') throw invalid('the name of the bucket is missing');
  if (endpoint !== undefined && !/^https?:\/\/[^@]+$/.test(endpoint))
    throw invalid('endpoint must be an http or https address');
  return address;
}

function journalAddress(text: string): PostgresAddress {
  const parsed = parseStoreAddress(text);
  if (parsed.kind !== 'postgres') throw invalid('journal must be the address of a PostgreSQL database');
  return parsed;
}

/** Returns a function that removes a parameter from the address and returns its value. */
function taker(url: URL): (name: string) => string | undefined {
  return (name) => {
    const value = url.searchParams.get(name) ?? undefined;
    url.searchParams.delete(name);
    return value;
  };
}

function count(name: string, value: string | undefined, otherwise: number): number {
  if (value === undefined) return otherwise;
  if (/^[1-9]\d{0,4}$/.test(value)) return Number(value);
  throw invalid(`${name} must be an integer from 1 to 99999`);
}

function isOn(name: string, value: string | undefined, otherwise: boolean): boolean {
  if (value === undefined) return otherwise;
  if (value === 'on' || value === 'off') return value === 'on';
  throw invalid(`${name} must be "on" or "off"`);
}

function invalid(reason: string): InvalidInputError {
  return new InvalidInputError('store', reason, allowed);
}

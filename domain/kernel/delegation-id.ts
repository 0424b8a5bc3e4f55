import { sha256Hex } from './hash';
import { canonicalJson } from './canonical-json';
import { shortHash } from './base32';

/** Position of a delegation in its run. The ordinal counts every attempted delegation of the parent, from 0. */
export interface DelegationPosition {
  readonly parentDelegationId?: string | null | undefined;
  readonly runId?: string | null | undefined;
  readonly ordinal: number;
}

/** The values that a delegation id is computed from. */
export interface DelegationIdentity {
  /** SHA-256 of the parent's rendered prompt, or null when the parent has none. */
  readonly parentPrompt: string | null;
  /** The payload exactly as the model sent it, valid or not. */
  readonly payload: unknown;
  readonly tooling: unknown;
  readonly position: unknown;
}

/**
 * Computes the id of a delegation, which is the same on every machine and after every crash. It depends on the parent's
 * prompt, the payload, the tools and the position, but not on the time or on rendered text. It is computed before
 * anything is validated, so it accepts any value.
 */
export function delegationId(identity: DelegationIdentity): string {
  // The name of the scheme is part of the hash, so that ids of a future scheme can't collide with these.
  const hashed = { scheme: 'baton-delegation-1', ...identity };
  return shortHash(sha256Hex(canonicalOrNearly(hashed)));
}

function canonicalOrNearly(value: unknown): string {
  try {
    return canonicalJson(value);
  } catch {
    // `1e999` in a model's JSON parses to Infinity, and a program may pass any value. The failure still needs an id.
    return canonicalJson(sanitized(value, 0));
  }
}

const maxDepth = 100;

function sanitized(value: unknown, depth: number): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) return { notJson: String(value) };
  if (typeof value === 'bigint' || typeof value === 'symbol') return { notJson: String(value) };
  if (typeof value === 'function' || value === undefined) return { notJson: typeof value };
  if (typeof value !== 'object' || value === null) return value;
  if (depth === maxDepth) return { notJson: 'too deep' };
  if (Array.isArray(value)) return value.map((item) => sanitized(item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, sanitized(item, depth + 1)]));
}

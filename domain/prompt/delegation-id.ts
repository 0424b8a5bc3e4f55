import { sha256Hex } from '../hash';
import { canonicalJson } from '../json';
import { shortId } from './base32';

/** Where in a run a delegation stands. The ordinal counts every attempted delegation of that agent. */
export interface DelegationPosition {
  readonly parentDelegationId?: string | null | undefined;
  readonly runId?: string | null | undefined;
  readonly ordinal: number;
}

export interface DelegationIdentity {
  /** SHA-256 of the parent's prompt as it was rendered, or null when there is none. */
  readonly parentPrompt: string | null;
  /** As the model sent it, right or wrong. */
  readonly payload: unknown;
  readonly tooling: unknown;
  readonly position: unknown;
}

/**
 * The name of a delegation, the same on every machine and after every crash: what was asked, of whom, with which tools.
 * Never a clock, never rendered text. Computed before anything is validated, so it takes any value at all.
 */
export function delegationId(identity: DelegationIdentity): string {
  // A name of the scheme first: should what is hashed ever change, old and new ids can't collide.
  const hashed = { scheme: 'baton-delegation-1', ...identity };
  return shortId(sha256Hex(canonicalOrNearly(hashed)));
}

function canonicalOrNearly(value: unknown): string {
  try {
    return canonicalJson(value);
  } catch {
    // `1e999` in a model's JSON parses to Infinity, and a program may pass anything: the failure needs an id all the same.
    return canonicalJson(sanitised(value, 0));
  }
}

const deepest = 100;

function sanitised(value: unknown, depth: number): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) return { notJson: String(value) };
  if (typeof value === 'bigint' || typeof value === 'symbol') return { notJson: String(value) };
  if (typeof value === 'function' || value === undefined) return { notJson: typeof value };
  if (typeof value !== 'object' || value === null) return value;
  if (depth === deepest) return { notJson: 'too deep' };
  if (Array.isArray(value)) return value.map((item) => sanitised(item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, sanitised(item, depth + 1)]));
}

import { InvalidInputError } from './errors';
import { canonicalJson, sha256Hex } from './canonical-json';

/** Workflow id of a run's root agent. Ids are slash paths, so that a sorted list of workflows reads as a tree. */
export function runWorkflowId(runId: string): string {
  return `run/${runId}`;
}

/** Returns the id of the run that a workflow belongs to; undefined when the workflow id is not one of Baton's. */
export function runIdOf(workflowId: string): string | undefined {
  return /^run\/([^/]+)/.exec(workflowId)?.[1];
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

/** Crockford's alphabet in lower case: no i, l, o or u, so an id can be read aloud and typed from a screen. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** Encodes the first 128 bits of a hex hash as 26 characters. The results sort in the same order as the hashes. */
function shortHash(hex: string): string {
  let rest = BigInt(`0x${hex.slice(0, 32)}`) << 2n;
  let id = '';
  for (let i = 0; i < 26; i += 1) {
    id = alphabet.charAt(Number(rest & 31n)) + id;
    rest >>= 5n;
  }
  return id;
}

const path = /^[a-zA-Z0-9][a-zA-Z0-9._-]*(\/[a-zA-Z0-9][a-zA-Z0-9._-]*)*$/;

/** Number of characters shown of a delegation id. This is enough to distinguish the delegations of a run. */
const abbreviatedIdLength = 8;

/**
 * Parses what a user typed (a run id, `<run>/<delegation>/…` or a workflow id) into a workflow id. Throws an
 * `InvalidInputError`.
 */
export function parseAgentId(target: string): string {
  if (!path.test(target)) {
    throw new InvalidInputError(
      'agent',
      `"${target}" is not a valid run or agent id`,
      'Pass a run id, <run>/<delegation>, or a workflow id. List runs with: baton list',
    );
  }
  return target.startsWith('run/') ? target : runWorkflowId(target);
}

/** Returns the id of the run that an agent belongs to. */
export function owningRunId(workflowId: string): string {
  return runIdOf(workflowId) ?? workflowId;
}

/** Returns the delegation ids from the root to an agent. Empty for the root. */
export function delegationPath(workflowId: string): readonly string[] {
  return workflowId.split('/').slice(2);
}

/** Returns the workflow id of an agent's parent; undefined for the root. */
export function parentOf(workflowId: string): string | undefined {
  return delegationPath(workflowId).length === 0 ? undefined : workflowId.slice(0, workflowId.lastIndexOf('/'));
}

/** Formats a workflow id the way commands accept it: `<run>` or `<run>/<delegation>/…`. */
export function displayId(workflowId: string): string {
  return workflowId.replace(/^run\//, '');
}

/** Abbreviates a generated id to its first characters. Ids that are short anyway are returned unchanged. */
function abbreviateId(id: string): string {
  return id.length > 2 * abbreviatedIdLength ? id.slice(0, abbreviatedIdLength) : id;
}

/** Returns the label of an agent in lists: `root`, or the first characters of its delegation id. */
export function agentLabel(workflowId: string): string {
  const last = delegationPath(workflowId).at(-1);
  return last === undefined ? 'root' : abbreviateId(last);
}

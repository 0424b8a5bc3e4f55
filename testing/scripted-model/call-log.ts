import { createHash } from 'node:crypto';
import type { ModelRequest } from './api';
import type { ChatRequest } from './chat/api';
import type { CallUsage } from './reply';

/** How a call ended. `aborted`: the client disconnected. `dropped`: the script broke the connection. */
export type CallOutcome = 'pending' | 'answered' | 'failed' | 'dropped' | 'aborted';

/** A valid request for a reply of the model, and its outcome. */
export interface CallRecord {
  /** Zero-based index among the calls to this server. */
  readonly index: number;
  /** Number of earlier requests to this server with the same body. */
  readonly attempt: number;
  /** Time of arrival, in milliseconds since 1970. */
  readonly receivedAt: number;
  /** Id of the requested model. */
  readonly model: string;
  /** SHA-256 of the request body. */
  readonly digest: string;
  /** The request in the format of the Messages API. */
  readonly request: ModelRequest;
  /** The request as it was sent to the Chat Completions API; undefined for the Messages API. */
  readonly chat: ChatRequest | undefined;
  /** How the call ended; `pending` until then. */
  outcome: CallOutcome;
  /** HTTP status of the response; undefined until it is sent. */
  status: number | undefined;
  /** Token counts of the reply; undefined if the script did not reply with an answer. */
  usage: CallUsage | undefined;
}

/** A request that was refused before the script saw it. */
export interface RejectedRequest {
  /** Time of arrival, in milliseconds since 1970. */
  readonly receivedAt: number;
  /** Path of the request, without its query. */
  readonly path: string;
  /** HTTP status of the response. */
  readonly status: number;
  /** The API's error type. */
  readonly type: string;
  /** What is wrong with the request. */
  readonly message: string;
}

interface Waiter {
  readonly find: () => CallRecord | undefined;
  readonly resolve: (call: CallRecord) => void;
  readonly reject: (reason: Error) => void;
}

/** Records all requests in order of arrival, and lets tests wait for them. */
export class CallLog {
  readonly calls: CallRecord[] = [];
  readonly rejected: RejectedRequest[] = [];
  readonly #attempts = new Map<string, number>();
  #waiters: Waiter[] = [];

  record(request: ModelRequest, body: Buffer, chat?: ChatRequest): CallRecord {
    const digest = sha256(body);
    const attempt = this.#attempts.get(digest) ?? 0;
    this.#attempts.set(digest, attempt + 1);
    const call: CallRecord = {
      index: this.calls.length,
      attempt,
      receivedAt: Date.now(),
      model: request.model,
      digest,
      request,
      chat,
      outcome: 'pending',
      status: undefined,
      usage: undefined,
    };
    this.calls.push(call);
    this.#wake();
    return call;
  }

  /** Records the outcome of a call. The first one counts: a socket that closes after the last byte is not an abort. */
  settle(call: CallRecord, outcome: Exclude<CallOutcome, 'pending'>): void {
    if (call.outcome !== 'pending') return;
    call.outcome = outcome;
    this.#wake();
  }

  /** Resolves when the call with this index exists and `isDue` returns true for it. */
  waitFor(index: number, isDue: (call: CallRecord) => boolean): Promise<CallRecord> {
    const due = new Promise<CallRecord>((resolve, reject) => {
      this.#waiters.push({ find: () => this.calls.slice(index, index + 1).find(isDue), resolve, reject });
    });
    // A test that failed elsewhere no longer awaits this promise. Closing must not make it fail again with an unhandled
    // rejection.
    due.catch(() => undefined);
    this.#wake();
    return due;
  }

  close(): void {
    for (const { reject } of this.#waiters.splice(0)) reject(new Error('The scripted model was closed'));
  }

  #wake(): void {
    this.#waiters = this.#waiters.filter(({ find, resolve }) => {
      const call = find();
      if (call) resolve(call);
      return !call;
    });
  }
}

/**
 * Stores one copy of each message. Every request repeats the conversation so far, so the log of a long run would
 * otherwise grow quadratically, and each message would be rendered again in every turn.
 */
export class SharedMessages {
  readonly #known = new Map<string, unknown>();

  /** Returns the request with repeated messages replaced by their first copies. The body may still be invalid. */
  share(body: unknown): unknown {
    if (typeof body !== 'object' || body === null || !('messages' in body) || !Array.isArray(body.messages))
      return body;
    return { ...body, messages: body.messages.map((message: unknown) => this.#firstCopy(message)) };
  }

  #firstCopy(message: unknown): unknown {
    const key = sha256(JSON.stringify(message));
    const known = this.#known.get(key) ?? message;
    this.#known.set(key, known);
    return known;
  }
}

/** Returns the SHA-256 of the concatenated parts in lower-case hex. */
export function sha256(...parts: readonly (string | Buffer)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}

/**
 * Serializes to JSON with sorted keys, because a client may reorder the keys of a block when it stores it and sends it
 * back.
 */
export function stableJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => (isPlainObject(inner) ? sorted(inner) : inner));
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sorted(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

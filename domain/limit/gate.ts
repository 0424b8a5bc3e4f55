import { type Bucket, createBucket, giveBack, lowerTo, refillAt, take, waitFor, waitForAll } from './bucket';
import type { ModelLimit } from './model-limits';

/** What a provider says about its limits, with a reply or with a refusal. Everything may be missing. */
export interface ProviderReport {
  /** Requests and tokens that are left, and the milliseconds until there are more. */
  readonly requests?: Remaining | undefined;
  readonly tokens?: Remaining | undefined;
  /** Milliseconds during which nothing is to be sent. */
  readonly retryAfterMs?: number | undefined;
}

interface Remaining {
  readonly left: number;
  readonly resetMs: number | undefined;
}

/** Seconds' worth of requests that may be sent at once. Providers refuse bursts that a minute's limit would allow. */
const requestSeconds = 0.1;
/**
 * What a worker may send, as a multiple of an even share. Work is not spread quite evenly, and a worker that got more must be
 * able to catch up. The sum stays below what the provider allows if the limit is a little below it, as the docs advise.
 */
const shareSlack = 1.05;
/**
 * Minimum share in requests per minute. With fewer for each worker, requests are not spread evenly at all, and those of a
 * worker that happened to get two would wait for nothing.
 */
const leastShare = 60;
/** Seconds' worth of tokens. One large request must not wait for a minute. */
const tokenSeconds = 10;
/** Longest time that a provider can close the gate, in milliseconds. */
const longestClosingMs = 60 * 60 * 1_000;
/** Tokens of a reply that are expected before any reply is known. */
const firstReplyTokens = 1_000;
/** Weight of the last reply in the average. */
const lastReplyWeight = 0.2;

/**
 * Decides when a request may be sent: within requests and tokens per minute, within the number of requests at a time, and
 * not while the provider asks to wait. It has no clock and no queue: `now` is in milliseconds, from any one clock.
 */
export class Gate {
  private requests: Bucket | undefined;
  private tokens: Bucket | undefined;
  private readonly concurrent: number;
  private inside = 0;
  private closedUntil = 0;
  private replyTokens = firstReplyTokens;
  private readonly perMinute: number | undefined;
  private sharers = 1;

  constructor({ requestsPerMinute, tokensPerMinute, concurrent = Infinity }: ModelLimit, now: number) {
    this.perMinute = requestsPerMinute;
    this.requests = requestsPerMinute === undefined ? undefined : createBucket(requestsPerMinute, requestSeconds, now);
    this.tokens = tokensPerMinute === undefined ? undefined : createBucket(tokensPerMinute, tokenSeconds, now);
    this.concurrent = concurrent;
  }

  /**
   * Sets how many workers share the limit of requests, this one included. The server counts them all, but lets a second's
   * worth through at once, and what workers have held back would come in addition if each of them sent it at the full rate.
   */
  shareAmong(workers: number, now: number): void {
    if (this.perMinute === undefined || this.requests === undefined || workers === this.sharers) return;
    this.sharers = workers;
    const share = workers === 1 ? Infinity : Math.max(leastShare, (this.perMinute * shareSlack) / workers);
    this.requests = refillAt(this.requests, Math.min(this.perMinute, share), requestSeconds, now);
  }

  /** Returns the tokens to reserve for a request with a prompt of this size: replies are expected to be as long as usual. */
  estimate(promptTokens: number, maxReplyTokens: number): number {
    return promptTokens + Math.min(maxReplyTokens, Math.ceil(this.replyTokens));
  }

  /** Milliseconds until a request may be sent; 0 for now, and Infinity until another one ends. */
  wait(tokens: number, now: number): number {
    if (this.inside >= this.concurrent) return Infinity;
    return Math.max(
      0,
      this.closedUntil - now,
      this.requests === undefined ? 0 : waitFor(this.requests, 1, now),
      this.tokens === undefined ? 0 : waitFor(this.tokens, tokens, now),
    );
  }

  /** Milliseconds that the last of several requests will probably wait, however many may be sent at a time. */
  expectedWait(requests: number, tokens: number, now: number): number {
    const closed = Math.max(0, this.closedUntil - now);
    const opensAt = now + closed;
    return (
      closed +
      Math.max(
        this.requests === undefined ? 0 : waitForAll(this.requests, requests, opensAt),
        this.tokens === undefined ? 0 : waitForAll(this.tokens, tokens, opensAt),
      )
    );
  }

  /** Reserves what a request needs. */
  enter(tokens: number, now: number): void {
    this.inside += 1;
    if (this.requests !== undefined) this.requests = take(this.requests, 1, now);
    if (this.tokens !== undefined) this.tokens = take(this.tokens, tokens, now);
  }

  /** Ends a request. Of what it reserved, what it did not use is available again. */
  leave(reserved: number, used: { readonly prompt: number; readonly reply: number } | undefined, now: number): void {
    this.inside -= 1;
    if (used === undefined) return;
    this.replyTokens += (used.reply - this.replyTokens) * lastReplyWeight;
    if (this.tokens !== undefined) this.tokens = giveBack(this.tokens, reserved - used.prompt - used.reply, now);
  }

  /** Allows less than configured if the provider says so. It never allows more. */
  told({ requests, tokens, retryAfterMs = 0 }: ProviderReport, now: number): void {
    if (requests !== undefined) this.requests = this.lowered(this.requests, requests, now);
    if (tokens !== undefined) this.tokens = this.lowered(this.tokens, tokens, now);
    if (!(retryAfterMs > 0)) return;
    this.close(retryAfterMs, now);
    // Requests that waited are sent one after the other, and not all at once.
    if (this.requests !== undefined) this.requests = lowerTo(this.requests, 0, now);
  }

  /** A number that is not limited here can only be waited for. */
  private lowered(bucket: Bucket | undefined, { left, resetMs = 0 }: Remaining, now: number): Bucket | undefined {
    if (bucket !== undefined) return lowerTo(bucket, Math.max(0, left), now);
    if (left <= 0) this.close(resetMs, now);
    return undefined;
  }

  private close(ms: number, now: number): void {
    this.closedUntil = Math.max(this.closedUntil, now + Math.min(ms, longestClosingMs));
  }
}

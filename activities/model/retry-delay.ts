import { maxRetryDelayMs } from '../failure';

/** Shortest delay, in milliseconds. A provider that asks for less would use up all attempts within a moment. */
const minRetryDelayMs = 1_000;

/** When to make the next attempt at a model call. */
export interface RetryDelay {
  /** Milliseconds until the next attempt; undefined to leave it to the retry policy, whose delays increase. */
  readonly ms: number | undefined;
  /** Sentence for the failure's message when the provider asked for more time than it gets; otherwise empty. */
  readonly notice: string;
}

/**
 * Reads the delay that the provider requests: in milliseconds, in seconds or as a date. Any value may arrive here. Zero,
 * a time in the past and what is not a time are ignored, and the rest is kept between a second and an hour.
 */
export function retryDelay(headers: Headers | undefined, now: number): RetryDelay {
  const requested = requestedDelay(headers, now);
  if (requested === undefined || !(requested > 0)) return { ms: undefined, notice: '' };
  const ms = Math.ceil(Math.min(Math.max(requested, minRetryDelayMs), maxRetryDelayMs));
  return { ms, notice: requested > maxRetryDelayMs ? tooLong : '' };
}

const tooLong = ` The provider asked for a longer delay than ${maxRetryDelayMs / 60_000} minutes. The next attempt is made after ${maxRetryDelayMs / 60_000} minutes.`;

/** Returns the requested milliseconds, which may be any number; undefined if no header has one. */
function requestedDelay(headers: Headers | undefined, now: number): number | undefined {
  const milliseconds = numberIn(headers?.get('retry-after-ms'));
  if (milliseconds !== undefined) return milliseconds;
  const after = headers?.get('retry-after');
  const seconds = numberIn(after);
  if (seconds !== undefined) return seconds * 1_000;
  const date = Date.parse(after ?? '');
  return Number.isNaN(date) ? undefined : date - now;
}

/** An empty text is not zero. */
function numberIn(text: string | null | undefined): number | undefined {
  const number = text === null || text === undefined || text.trim() === '' ? Number.NaN : Number(text);
  return Number.isNaN(number) ? undefined : number;
}

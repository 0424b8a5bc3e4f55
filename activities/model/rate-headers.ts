import type { ProviderReport } from '../../domain/limit';
import type { ModelRequest } from '../dependencies';

// What providers say about their limits: Anthropic in `anthropic-ratelimit-requests-remaining`, most others in
// `x-ratelimit-remaining-requests`. Any value may arrive here; what is not a number is ignored.

/** Reads what the headers of a response say about the limits of requests and tokens; undefined if they say nothing. */
export function readRateHeaders(headers: Headers, now: number): ProviderReport | undefined {
  const requests = remaining(headers, 'requests', now);
  const tokens = lowest(['tokens', 'input-tokens', 'output-tokens'].map((what) => remaining(headers, what, now)));
  return requests === undefined && tokens === undefined ? undefined : { requests, tokens };
}

/** Returns a function that reports what headers say, if anything; undefined if nobody listens. */
export function reporter(onLimits: ModelRequest['onLimits']): ((headers: Headers | undefined) => void) | undefined {
  if (onLimits === undefined) return undefined;
  return (headers) => {
    const report = headers && readRateHeaders(headers, Date.now());
    if (report !== undefined) onLimits(report);
  };
}

type Remaining = NonNullable<ProviderReport['requests']>;

function remaining(headers: Headers, what: string, now: number): Remaining | undefined {
  const left = headers.get(`anthropic-ratelimit-${what}-remaining`) ?? headers.get(`x-ratelimit-remaining-${what}`);
  const count = left === null || left.trim() === '' ? Number.NaN : Number(left);
  if (!(count >= 0)) return undefined;
  const date = headers.get(`anthropic-ratelimit-${what}-reset`);
  const resetMs = date === null ? durationMs(headers.get(`x-ratelimit-reset-${what}`)) : Date.parse(date) - now;
  return { left: count, resetMs: resetMs !== undefined && resetMs > 0 ? resetMs : undefined };
}

function lowest(all: readonly (Remaining | undefined)[]): Remaining | undefined {
  return all.filter((one) => one !== undefined).sort((a, b) => a.left - b.left)[0];
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/**
 * Reads a duration such as `6m0s`, `1.5s` or `20ms`; a plain number is seconds. Each part of several has a unit: if it were
 * optional, time would grow exponentially with the number of digits, and forty of them would stop the worker.
 */
function durationMs(text: string | null): number | undefined {
  if (text === null || !/^(?:\d+(?:\.\d+)?|(?:\d+(?:\.\d+)?(?:ms|[smh]))+)$/.test(text)) return undefined;
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|[smh])?/g)];
  return parts.reduce((sum, [, amount, unit = 's']) => sum + Number(amount) * (unitMs[unit] ?? 0), 0);
}

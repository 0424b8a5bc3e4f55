import type { Usage } from './prices';

/**
 * Returns the share of the input tokens that were read from the provider's cache, from 0 to 1, rounded to four decimals;
 * null without input.
 */
export function cacheReadShare({ input, cacheRead, cacheWrite }: Usage): number | null {
  const all = input + cacheRead + cacheWrite;
  return all === 0 ? null : Math.round((cacheRead / all) * 10_000) / 10_000;
}

/** The share of an agent's input tokens that were read from the provider's cache. Null when it is not known. */
export interface CacheReadShares {
  readonly own: number | null;
  readonly withDelegations: number | null;
}

/** Computes both shares from the usage of an agent alone, and from that of the agent with its delegations. */
export function cacheReadShares(own: Usage | null, total: Usage | null): CacheReadShares {
  return { own: own && cacheReadShare(own), withDelegations: total && cacheReadShare(total) };
}

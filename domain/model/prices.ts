import { z } from 'zod';

const usdPerMillion = z.number().nonnegative().max(100_000);

/** Price of a model, in US dollars per million tokens of each kind. */
export const priceSchema = z.strictObject({
  input: usdPerMillion,
  cacheRead: usdPerMillion,
  cacheWrite: usdPerMillion,
  output: usdPerMillion,
});
export type Price = Readonly<z.infer<typeof priceSchema>>;

/** Fractions of a millionth below this are floating-point error and are not rounded up. */
const roundingError = 1e-6;

/** Returns the cost in millionths of a US dollar, rounded up so that a budget is never exceeded unnoticed. */
export function costOf({ input, cacheRead, cacheWrite, output }: Price, usage: Usage): number {
  const exact =
    input * usage.input + cacheRead * usage.cacheRead + cacheWrite * usage.cacheWrite + output * usage.output;
  return Math.max(0, Math.ceil(exact - roundingError));
}

/**
 * Formats an amount, given in millionths of a US dollar. `short` has enough decimals that a cheap call does not show as
 * $0.00; `exact` has all decimals but trailing zeros, and at least two.
 */
export function formatUsd(microUsd: number, precision: 'short' | 'exact' = 'short'): string {
  const usd = microUsd / 1_000_000;
  if (precision === 'exact') return `$${usd.toFixed(6).replace(/0{1,4}$/, '')}`;
  if (microUsd > 0 && microUsd < 50) return 'less than $0.0001';
  return `$${usd.toFixed(microUsd === 0 || microUsd >= 10_000_000 ? 2 : microUsd >= 10_000 ? 3 : 4)}`;
}

/**
 * Token counts as reported by the provider. The four never overlap: `input` counts only tokens that were neither read
 * from nor written to the provider's cache.
 */
export const usageSchema = z.strictObject({
  input: z.int().nonnegative(),
  cacheRead: z.int().nonnegative(),
  cacheWrite: z.int().nonnegative(),
  output: z.int().nonnegative(),
  /** Set if some of the tokens were estimated, because the provider did not report them. */
  estimated: z.literal(true).exactOptional(),
});
/** Token counts of one or more model calls. */
export type Usage = Readonly<z.infer<typeof usageSchema>>;

/** Usage of zero tokens. */
export const noUsage: Usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };

/** Adds two usages, kind by kind. */
export function addUsage(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    output: a.output + b.output,
    ...(a.estimated === true || b.estimated === true ? { estimated: true } : {}),
  };
}

/** Returns the total tokens of a call. For the last call of a conversation, this is its context usage. */
export function totalTokens(usage: Usage): number {
  return usage.input + usage.cacheRead + usage.cacheWrite + usage.output;
}

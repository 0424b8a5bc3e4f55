import { z } from 'zod';
import type { Usage } from './usage';

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

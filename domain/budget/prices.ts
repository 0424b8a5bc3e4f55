import { z } from 'zod';
import type { Usage } from '../model/usage';

const usdPerMillion = z.number().nonnegative().max(100_000);

/** What a model costs, in US dollars per million tokens of each kind. */
export const priceSchema = z.strictObject({
  input: usdPerMillion,
  cacheRead: usdPerMillion,
  cacheWrite: usdPerMillion,
  output: usdPerMillion,
});
export type Price = Readonly<z.infer<typeof priceSchema>>;

/** Below this, what stands behind the point comes of binary fractions and not of the price. */
const dust = 1e-6;

/** In millionths of a dollar, rounded up: a budget errs on the safe side. */
export function costOf({ input, cacheRead, cacheWrite, output }: Price, usage: Usage): number {
  const exact =
    input * usage.input + cacheRead * usage.cacheRead + cacheWrite * usage.cacheWrite + output * usage.output;
  return Math.max(0, Math.ceil(exact - dust));
}

import { z } from 'zod';

/** Tokens as the provider counts them. The four never overlap: `input` is what was neither read from nor written to its cache. */
export const usageSchema = z.strictObject({
  input: z.int().nonnegative(),
  cacheRead: z.int().nonnegative(),
  cacheWrite: z.int().nonnegative(),
  output: z.int().nonnegative(),
});
export type Usage = Readonly<z.infer<typeof usageSchema>>;

export const noUsage: Usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    output: a.output + b.output,
  };
}

/** All tokens of a call; after the last call of a conversation, how much of the window that conversation fills. */
export function totalTokens(usage: Usage): number {
  return usage.input + usage.cacheRead + usage.cacheWrite + usage.output;
}

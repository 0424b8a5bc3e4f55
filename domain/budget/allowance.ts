import { z } from 'zod';
import { addUsage, noUsage, usageSchema } from '../model/usage';

/** Maximum spending of an agent and everything below it. An omitted dimension is unlimited. */
export const allowanceSchema = z.strictObject({
  /** Maximum tokens of all kinds together. */
  tokens: z.int().nonnegative().optional(),
  /** Maximum cost in millionths of a US dollar. Integers add up exactly. */
  microUsd: z.int().nonnegative().optional(),
  /** Maximum model calls. */
  turns: z.int().nonnegative().optional(),
});
export type Allowance = Readonly<z.infer<typeof allowanceSchema>>;

/** Tokens, cost and model calls that were spent. */
export const spendingSchema = z.strictObject({
  usage: usageSchema,
  microUsd: z.int().nonnegative(),
  turns: z.int().nonnegative(),
});
export type Spending = Readonly<z.infer<typeof spendingSchema>>;

/** Spending of zero. */
export const nothingSpent: Spending = { usage: noUsage, microUsd: 0, turns: 0 };

/** Adds two spendings. */
export function addSpending(a: Spending, b: Spending): Spending {
  return { usage: addUsage(a.usage, b.usage), microUsd: a.microUsd + b.microUsd, turns: a.turns + b.turns };
}

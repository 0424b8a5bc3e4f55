import { z } from 'zod';
import { addUsage, noUsage, usageSchema } from '../model/usage';

/** What an agent and everything below it may spend; what is left out is not bounded. */
export const allowanceSchema = z.strictObject({
  /** Of all kinds together. */
  tokens: z.int().nonnegative().optional(),
  /** Millionths of a US dollar: whole numbers add up exactly. */
  microUsd: z.int().nonnegative().optional(),
  /** Model calls. */
  turns: z.int().nonnegative().optional(),
});
export type Allowance = Readonly<z.infer<typeof allowanceSchema>>;

/** What was spent. */
export const spendingSchema = z.strictObject({
  usage: usageSchema,
  microUsd: z.int().nonnegative(),
  turns: z.int().nonnegative(),
});
export type Spending = Readonly<z.infer<typeof spendingSchema>>;

export const nothingSpent: Spending = { usage: noUsage, microUsd: 0, turns: 0 };

export function addSpending(a: Spending, b: Spending): Spending {
  return { usage: addUsage(a.usage, b.usage), microUsd: a.microUsd + b.microUsd, turns: a.turns + b.turns };
}

import { z } from 'zod';
import { addUsage, formatUsd, noUsage, totalTokens, usageSchema } from '../model';
import type { Allowance, Spending } from './allowance';

/** What was consumed, as it is shown. */
export const figuresSchema = z.object({
  /** Model calls that were answered. */
  turns: z.int().nonnegative(),
  usage: usageSchema,
  /** Cost in millionths of a US dollar; null when a model has no known price. */
  microUsd: z.int().nonnegative().nullable(),
});
/** What was consumed, as it is shown. */
export type Figures = Readonly<z.infer<typeof figuresSchema>>;

/** What an agent consumed by itself, and together with everything below it. */
export interface AgentFigures {
  readonly own: Figures;
  readonly withDelegations: Figures;
}

/** Figures of an agent that has not called a model. */
export const noFigures: Figures = { turns: 0, usage: noUsage, microUsd: 0 };

/** Returns the figures of a spending. */
export function figuresOf({ turns, usage, microUsd, unpriced }: Spending): Figures {
  return { turns, usage, microUsd: unpriced === true ? null : microUsd };
}

/** Adds figures. The cost of the sum is unknown if one of them is. */
export function addFigures(a: Figures, b: Figures): Figures {
  return {
    turns: a.turns + b.turns,
    usage: addUsage(a.usage, b.usage),
    microUsd: a.microUsd === null || b.microUsd === null ? null : a.microUsd + b.microUsd,
  };
}

/** Formats a cost; a model without a known price has none. */
export function costText(microUsd: number | null): string {
  return microUsd === null ? 'no price' : formatUsd(microUsd);
}

/** Formats figures in one line: `3 turns, 15230 tokens, $0.021`. */
export function figuresText({ turns, usage, microUsd }: Figures): string {
  return `${turns} turn${turns === 1 ? '' : 's'}, ${totalTokens(usage)} tokens, ${costText(microUsd)}`;
}

/** The limits of a budget that every agent can have. */
type Limits = Pick<Allowance, 'tokens' | 'microUsd' | 'turns'>;

/** What is spent and left of a budget, one text per limit: `cost $0.09 of $0.25, $0.16 left`. */
export function budgetTexts(
  { tokens, microUsd, turns }: Limits,
  spent: Figures,
  formatCount: (amount: number) => string = String,
): readonly string[] {
  return [
    ...(microUsd === undefined ? [] : [`cost ${ofLimit(spent.microUsd ?? 0, microUsd, formatUsd)}`]),
    ...(tokens === undefined ? [] : [`tokens ${ofLimit(totalTokens(spent.usage), tokens, formatCount)}`]),
    ...(turns === undefined ? [] : [`turns ${ofLimit(spent.turns, turns, formatCount)}`]),
  ];
}

function ofLimit(spent: number, limit: number, format: (amount: number) => string): string {
  const rest = limit - spent;
  const left = rest < 0 ? `${format(-rest)} over` : `${format(rest)} left`;
  return `${format(spent)} of ${format(limit)}, ${left}`;
}

import { z } from 'zod';
import { estimateTokens, InvalidInputError } from '../kernel';
import {
  addUsage,
  costOf,
  findPrice,
  type ModelCatalog,
  noUsage,
  type Price,
  type PriceTable,
  totalTokens,
  type Usage,
  usageSchema,
} from '../model';

/** Numbers of calls, by tool name. */
const callCountsSchema = z.record(z.string(), z.int().nonnegative());
export type CallCounts = Readonly<z.infer<typeof callCountsSchema>>;

/** Maximum spending of an agent and everything below it. An omitted dimension is unlimited. */
export const allowanceSchema = z.strictObject({
  /** Maximum tokens of all kinds together. */
  tokens: z.int().nonnegative().optional(),
  /** Maximum cost in millionths of a US dollar. Integers add up exactly. */
  microUsd: z.int().nonnegative().optional(),
  /** Maximum model calls. */
  turns: z.int().nonnegative().optional(),
  /** Maximum calls of single tools, by tool name. Other tools are not limited. */
  calls: callCountsSchema.optional(),
});
export type Allowance = Readonly<z.infer<typeof allowanceSchema>>;

/** Tokens, cost and model calls that were spent. */
export const spendingSchema = z.strictObject({
  usage: usageSchema,
  microUsd: z.int().nonnegative(),
  turns: z.int().nonnegative(),
  /** Calls of the tools whose calls are limited; omitted when there were none. */
  calls: callCountsSchema.exactOptional(),
  /** Set if a part of the usage has no known price, so that the cost is unknown. */
  unpriced: z.literal(true).exactOptional(),
});
export type Spending = Readonly<z.infer<typeof spendingSchema>>;

/** Spending of zero. */
export const nothingSpent: Spending = { usage: noUsage, microUsd: 0, turns: 0 };

/** Adds two spendings. */
export function addSpending(a: Spending, b: Spending): Spending {
  return {
    usage: addUsage(a.usage, b.usage),
    microUsd: a.microUsd + b.microUsd,
    turns: a.turns + b.turns,
    ...withCalls(countEach({ ...a.calls, ...b.calls }, (tool) => callsOf(a, tool) + callsOf(b, tool))),
    ...(a.unpriced === true || b.unpriced === true ? { unpriced: true } : {}),
  };
}

/** Subtracts a spending that is part of another one. No amount becomes negative. */
export function subtractSpending(whole: Spending, part: Spending): Spending {
  const less = (kind: keyof Omit<Usage, 'estimated'>): number => Math.max(0, whole.usage[kind] - part.usage[kind]);
  return {
    ...whole,
    usage: {
      ...whole.usage,
      input: less('input'),
      cacheRead: less('cacheRead'),
      cacheWrite: less('cacheWrite'),
      output: less('output'),
    },
    microUsd: Math.max(0, whole.microUsd - part.microUsd),
    turns: Math.max(0, whole.turns - part.turns),
  };
}

/** Returns the number of calls of a tool in a spending or an allowance; 0 when it is not listed. */
export function callsOf({ calls = {} }: { readonly calls?: CallCounts | undefined }, tool: string): number {
  return Object.hasOwn(calls, tool) ? (calls[tool] ?? 0) : 0;
}

/** Computes a number for each tool that `limited` names. */
export function countEach(limited: CallCounts = {}, count: (tool: string, limit: number) => number): CallCounts {
  return Object.fromEntries(Object.entries(limited).map(([tool, limit]) => [tool, count(tool, limit)]));
}

function withCalls(calls: CallCounts): { calls?: CallCounts } {
  return Object.keys(calls).length === 0 ? {} : { calls };
}

/** The units in which a budget is counted. */
export const dimensions = ['tokens', 'microUsd', 'turns'] as const;
/** One of the units in which a budget is counted. */
export type Dimension = (typeof dimensions)[number];

/** Returns the amount spent in one dimension. */
export function amountSpent(dimension: Dimension, { usage, microUsd, turns }: Spending): number {
  return { tokens: totalTokens(usage), microUsd, turns }[dimension];
}

/** Builds an allowance dimension by dimension. Unlimited dimensions are omitted, which keeps it small. */
export function buildAllowance(
  amountIn: (dimension: Dimension) => number | undefined,
  calls: CallCounts = {},
): Allowance {
  const entries = dimensions.map((dimension) => [dimension, amountIn(dimension)] as const);
  return { ...Object.fromEntries(entries.filter(([, amount]) => amount !== undefined)), ...withCalls(calls) };
}

/** Returns the stricter of two limits of each tool's calls. */
export function stricterCalls(a: CallCounts = {}, b: CallCounts = {}): CallCounts {
  return { ...b, ...countEach(a, (tool, limit) => (Object.hasOwn(b, tool) ? Math.min(limit, b[tool] ?? 0) : limit)) };
}

/** Returns true if no dimension is limited. */
export function isUnlimited(allowance: Allowance): boolean {
  return allowance.calls === undefined && dimensions.every((dimension) => allowance[dimension] === undefined);
}

/** Upper bound of what a step may spend, computed before it starts. */
export type Estimate = Readonly<Record<Dimension, number>>;

/** The facts about a model call from which its upper bound is computed. */
export interface CallToEstimate {
  readonly promptBytes: number;
  /** Bytes of the tool list that is sent. */
  readonly toolBytes: number;
  /** Context usage at the last call, including prompt and tools; 0 before the first call. */
  readonly conversationTokens: number;
  /** Bytes of tool outcomes and notes that this call sends for the first time. */
  readonly newBytes?: number;
  /** Maximum output tokens of the reply. */
  readonly maxTokens: number;
  /** Undefined when the price is unknown; the call then counts as free. */
  readonly price: Price | undefined;
}

/** Tokens of the text that the provider adds to a request with tools. */
const toolPreamble = 500;

/**
 * Computes an upper bound for a model call. It assumes dense text, the most expensive kind of input, and a reply of
 * maximum length.
 */
export function estimateCall(call: CallToEstimate): Estimate {
  const { promptBytes, toolBytes, conversationTokens, newBytes = 0, maxTokens, price } = call;
  const fixed = estimateTokens(promptBytes + toolBytes) + (toolBytes > 0 ? toolPreamble : 0);
  const input = Math.max(fixed, conversationTokens) + estimateTokens(newBytes);
  return { tokens: input + maxTokens, microUsd: price === undefined ? 0 : maxCost(price, input, maxTokens), turns: 1 };
}

function maxCost(price: Price, input: number, output: number): number {
  const perInput = Math.max(price.input, price.cacheRead, price.cacheWrite);
  return costOf({ ...price, input: perInput }, { input, cacheRead: 0, cacheWrite: 0, output });
}

/** Adds the upper bounds of steps that must be affordable together, such as an agent's next call and its handoff. */
export function addEstimates(a: Estimate, b: Estimate): Estimate {
  return { tokens: a.tokens + b.tokens, microUsd: a.microUsd + b.microUsd, turns: a.turns + b.turns };
}

/**
 * Rejects a cost budget for a model without a price before the first call, because the budget could not be enforced.
 */
export function requirePrice(
  model: string,
  budget: Allowance | undefined,
  configured?: PriceTable,
  models?: ModelCatalog,
): void {
  if (budget?.microUsd === undefined || findPrice(model, configured, models) !== undefined) return;
  throw new InvalidInputError(
    'budget.microUsd',
    `the price of "${model}" is unknown, so a cost budget cannot be enforced`,
    'Add its price to `prices` or to the models file (--price, --models), or set a token budget instead.',
  );
}

const deadlineMessage = /^The deadline (\S+) has passed\.$/;

/** Describes the failure of an agent whose deadline has passed. */
export function deadlinePassed(deadline: string): string {
  return `The deadline ${deadline} has passed.`;
}

/** Returns the deadline that such a failure names; undefined for any other message. */
export function passedDeadline(message: string): string | undefined {
  return deadlineMessage.exec(message)?.[1];
}

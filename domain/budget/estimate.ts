import { estimateTokens } from '../prompt/checks/size';
import type { Dimension } from './dimension';
import { costOf, type Price } from '../model/prices';

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

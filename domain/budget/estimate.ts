import { estimatedTokens } from '../prompt/checks/size';
import type { Dimension } from './dimension';
import { costOf, type Price } from './prices';

/** What a step may come to at most, before it is made. */
export type Estimate = Readonly<Record<Dimension, number>>;

export const noEstimate: Estimate = { tokens: 0, microUsd: 0, turns: 0 };

export interface CallToEstimate {
  readonly promptBytes: number;
  /** Of the list of tools, as it is sent. */
  readonly toolBytes: number;
  /** What the last call filled of the window, prompt and tools included; 0 before the first one. */
  readonly conversationTokens: number;
  /** What the model is told with this call that it has not seen yet: outcomes of tools, notes. */
  readonly newBytes?: number;
  /** The longest reply it may give. */
  readonly maxTokens: number;
  /** Undefined: the model has no price, and calls of it count as free. */
  readonly price: Price | undefined;
}

/** What the provider itself says to a model about tools, when there are any. */
const toolPreamble = 500;

/** Errs high: text is dense, all of the input is of the dearest kind, and the reply takes all it may. */
export function estimateCall(call: CallToEstimate): Estimate {
  const { promptBytes, toolBytes, conversationTokens, newBytes = 0, maxTokens, price } = call;
  const fixed = estimatedTokens(promptBytes + toolBytes) + (toolBytes > 0 ? toolPreamble : 0);
  const input = Math.max(fixed, conversationTokens) + estimatedTokens(newBytes);
  return { tokens: input + maxTokens, microUsd: price === undefined ? 0 : dearest(price, input, maxTokens), turns: 1 };
}

function dearest(price: Price, input: number, output: number): number {
  const perInput = Math.max(price.input, price.cacheRead, price.cacheWrite);
  return costOf({ ...price, input: perInput }, { input, cacheRead: 0, cacheWrite: 0, output });
}

/** For steps that are to be paid together, as an agent's next call and its handoff are. */
export function addEstimates(a: Estimate, b: Estimate): Estimate {
  return { tokens: a.tokens + b.tokens, microUsd: a.microUsd + b.microUsd, turns: a.turns + b.turns };
}

import { metricMeter, workflowInfo } from '@temporalio/workflow';
import type { Usage } from '../domain/model';
import { counters } from '../temporal-config/names';

// The SDK ignores metrics in a replay. They are exported only if BATON_METRICS_ADDRESS is set. Tags are few and short
// on purpose, because each combination is a separate time series.

/** Counts the tokens that a model call used, by kind. */
export function countTokens(model: string, { estimated: _, ...usage }: Usage): void {
  // As the SDK would find out for each kind.
  if (workflowInfo().unsafe.isReplaying) return;
  const counter = metricMeter.createCounter(counters.tokens, 'tokens', 'Tokens that model calls used, by kind');
  for (const [kind, tokens] of Object.entries(usage)) {
    if (tokens > 0) counter.add(tokens, { kind, model });
  }
}

/** Counts the cost of a model call, in millionths of a US dollar. Zero if its price is unknown. */
export function countCost(microUsd: number): void {
  if (microUsd <= 0) return;
  metricMeter
    .createCounter(counters.cost, 'microUSD', 'Cost of model calls, in millionths of a US dollar')
    .add(microUsd);
}

/** Counts an agent that begins to wait for an operator, by the failure type of its incident. */
export function countParkedAgent(type: string): void {
  metricMeter.createCounter(counters.parked, 'agents', 'Agents that began to wait for an operator').add(1, { type });
}

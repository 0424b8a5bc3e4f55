import { metricMeter } from '@temporalio/workflow';
import type { Usage } from '../domain/model/usage';
import { counters } from '../temporal-config/telemetry';

// Counted where it happens and never in a replay, which the SDK sees to. Without BATON_METRICS_ADDRESS nobody listens.
// Tags are few and short on purpose: each combination is a time series of its own.

/** After a model call: what it used, by kind. */
export function countTokens(model: string, usage: Usage): void {
  const counter = metricMeter.createCounter(counters.tokens, 'tokens', 'Tokens that model calls used, by kind');
  for (const [kind, tokens] of Object.entries(usage)) {
    if (tokens > 0) counter.add(tokens, { kind, model });
  }
}

/** After a model call whose price is known: what it cost, in millionths of a US dollar. */
export function countCost(microUsd: number): void {
  if (microUsd <= 0) return;
  metricMeter
    .createCounter(counters.cost, 'microUSD', 'What model calls cost, in millionths of a US dollar')
    .add(microUsd);
}

/** When an agent begins to wait for an operator, by the failure type of its incident. */
export function countParked(type: string): void {
  metricMeter.createCounter(counters.parked, 'agents', 'Agents that began to wait for an operator').add(1, { type });
}

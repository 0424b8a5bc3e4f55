import { addUsage, noUsage, type Usage } from '../../domain/model/usage';
import type { ReportAgent } from './report-model';

/** Sums over several agents. */
export interface Totals {
  readonly usage: Usage;
  readonly turns: number;
  /** Cost in millionths of a US dollar; null when the cost of no agent is known. */
  readonly microUsd: number | null;
}

/** Adds up the usage, turns and cost of several agents. */
export function totalsOf(agents: readonly ReportAgent[]): Totals {
  const costs = agents.flatMap(({ microUsd }) => microUsd ?? []);
  return {
    usage: agents.reduce((sum, { usage }) => addUsage(sum, usage), noUsage),
    turns: agents.reduce((sum, { turns }) => sum + turns, 0),
    microUsd: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
  };
}

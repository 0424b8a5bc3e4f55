import { addUsage, noUsage, type Usage } from '../../domain/model/usage';
import type { ReportAgent } from './model';

export interface Totals {
  readonly usage: Usage;
  readonly turns: number;
  /** Null when not even one agent's cost is known. */
  readonly microUsd: number | null;
}

export function totalsOf(agents: readonly ReportAgent[]): Totals {
  const costs = agents.flatMap(({ microUsd }) => microUsd ?? []);
  return {
    usage: agents.reduce((sum, { usage }) => addUsage(sum, usage), noUsage),
    turns: agents.reduce((sum, { turns }) => sum + turns, 0),
    microUsd: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
  };
}

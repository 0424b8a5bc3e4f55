import type { AgentRow, RunRow, ViewIncident, ViewState } from './run-view';

/** What a row of a run has that its agents don't tell. */
export interface RunHeading {
  readonly runId: string;
  readonly goal: string;
  readonly title: string;
  readonly startedAt: number;
  /** Words after the state, if there are better ones than those of the root; used while the run is open. */
  readonly progress?: string | undefined;
}

/** Builds the row of a run from its agents. */
export function runRow(
  { progress, ...heading }: RunHeading,
  agents: readonly AgentRow[],
  incidents: readonly ViewIncident[],
): RunRow {
  const root = agents[0];
  const counts = countStates(agents);
  const needsYou = (counts['needs you'] ?? 0) > 0 && root?.endedAt === null;
  const [oldest] = incidents;
  return {
    ...heading,
    model: root?.model ?? null,
    state: needsYou ? 'needs you' : (root?.state ?? 'unknown'),
    detail: root?.endedAt === null ? (progress ?? root.detail) : (root?.detail ?? ''),
    agents: counts,
    figures: root?.withDelegations ?? null,
    endedAt: root?.endedAt ?? null,
    waiting: oldest === undefined ? null : { incidents: incidents.length, since: Date.parse(oldest.since) },
  };
}

/** Counts agents by state. */
export function countStates(agents: Iterable<Pick<AgentRow, 'state'>>): Readonly<Partial<Record<ViewState, number>>> {
  const counts: Partial<Record<ViewState, number>> = {};
  for (const { state } of agents) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}

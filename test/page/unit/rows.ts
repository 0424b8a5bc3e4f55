import type { AgentRow, ViewState } from '../../../client/view/run-view';
import { countStates } from '../../../client/view/run-row';
import { newAgent } from '../../../page/state/changes';
import type { Counts } from '../../../page/state/counts';

/** Makes the row of an agent. */
export function agentRow(path: string, fields: Partial<AgentRow> = {}): AgentRow {
  return newAgent({ path, headline: `Agent ${path}`, state: 'completed', turn: 1, ...fields });
}

/** Agents of one batch below the root, with these states. */
export function batchRows(states: readonly ViewState[]): AgentRow[] {
  return states.map((state, index) =>
    agentRow(`b${index}`, { state, batch: { callId: 'call', turn: 4, index, size: states.length } }),
  );
}

/** Agents as a layout reads them. They can be changed. */
export function agentsOf(rows: readonly AgentRow[]): {
  row: (path: string) => AgentRow | undefined;
  childrenOf: (path: string) => string[];
  countsOf: (path: string) => { peek: () => Counts };
  set: (path: string, fields: Partial<AgentRow>) => void;
} {
  const byPath = new Map(rows.map((row) => [row.path, row]));
  return {
    row: (path) => byPath.get(path),
    childrenOf: (path) => [...byPath.values()].filter(({ parent }) => parent === path).map((row) => row.path),
    countsOf: (path) => ({
      peek: () => countStates([...byPath.values()].filter((row) => row.path.startsWith(`${path}/`))),
    }),
    set: (path, fields) => byPath.set(path, { ...(byPath.get(path) ?? agentRow(path)), ...fields }),
  };
}

import type { AgentRow } from '../../client/view/run-view';
import { totalTokens } from '../format';
import { states } from '../state/counts';

export type Column = 'number' | 'headline' | 'state' | 'turns' | 'tokens' | 'cost' | 'took' | 'outcome';

/** Columns of the table of a batch. */
export const columns: readonly { readonly id: Column; readonly label: string }[] = [
  { id: 'number', label: '#' },
  { id: 'headline', label: 'Agent' },
  { id: 'state', label: 'State' },
  { id: 'turns', label: 'Turns' },
  { id: 'tokens', label: 'Tokens' },
  { id: 'cost', label: 'Cost' },
  { id: 'took', label: 'Took' },
  { id: 'outcome', label: 'Outcome' },
];

const values: Readonly<Record<Column, (row: AgentRow) => number | string>> = {
  number: ({ batch }) => batch?.index ?? 0,
  headline: ({ headline }) => headline,
  state: ({ state }) => states.indexOf(state),
  turns: ({ own }) => own.turns,
  tokens: ({ withDelegations }) => totalTokens(withDelegations.usage),
  // Unknown amounts are below all known ones.
  cost: ({ withDelegations }) => withDelegations.microUsd ?? -1,
  took: ({ startedAt, endedAt }) => (endedAt === null ? -1 : endedAt - startedAt),
  outcome: ({ failure, detail }) => failure?.type ?? detail,
};

/** Sorts agents by a column. Those with equal values keep their order. */
export function sortRows(rows: readonly AgentRow[], by: Column, down: boolean): AgentRow[] {
  const value = values[by];
  return [...rows].sort((a, b) => {
    const [left, right] = [value(a), value(b)];
    const order = left < right ? -1 : left > right ? 1 : 0;
    return down ? -order : order;
  });
}

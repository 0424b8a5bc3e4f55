import type { VNode } from 'preact';
import type { AgentRow } from '../../client/view/run-view';
import { Icon } from '../components/icon';
import { describeCounts, StateBar, stateClass, StateCounts } from '../components/state-badge';
import { formatCount, formatDuration, formatTokens, formatUsd, plural, totalTokens } from '../format';
import { goWithin, within } from '../state/place';
import { formatAddress } from '../state/address';
import { shownRun } from '../state/session';
import { countTypes, groupFailures } from './failures';
import type { BatchTreeRow, FailureTreeRow, FoldTreeRow } from './rows';

type GroupRow = BatchTreeRow | FoldTreeRow | FailureTreeRow;

/** Name of a row that is not an agent, for a screen reader. */
export function batchName(row: GroupRow): string {
  if (row.kind === 'batch') {
    const counts = shownRun.value?.countsOf(`${row.parent}|${row.callId}`).value ?? {};
    return `Batch of ${formatCount(row.size)}, turn ${row.turn}: ${describeCounts(counts)}`;
  }
  if (row.kind === 'failure') return `${plural(row.paths.length, 'agent')} failed: ${row.type}, ${row.message}`;
  return foldWords(row);
}

/** The agents of one tool call: how many are in which state. */
export function BatchCells({ row }: { row: BatchTreeRow }): VNode {
  const counts = shownRun.value?.countsOf(`${row.parent}|${row.callId}`).value ?? {};
  return (
    <>
      <span class="state-icon muted">
        <Icon name="batch" />
      </span>
      <span class="name cut" title={`batch of ${formatCount(row.size)}, started by turn ${row.turn}`}>
        <span class="title">batch of {formatCount(row.size)}</span>
        <span class="id">turn {row.turn}</span>
      </span>
      <TableLink row={row} />
      <span class="timeline batch-line">
        <StateBar counts={counts} />
        <StateCounts counts={counts} />
      </span>
    </>
  );
}

/** Agents in one state that are not shown one by one. */
export function FoldCells({ row }: { row: FoldTreeRow }): VNode {
  const agents = rowsOf(row.paths);
  const tokens = agents.reduce((sum, agent) => sum + totalTokens(agent.withDelegations.usage), 0);
  return (
    <>
      <span class={`state-icon ${stateClass(row.state)}`}>
        <Icon name={row.state} />
      </span>
      <span class={`name cut ${row.state === 'failed' ? stateClass('failed') : ''}`} title={timesOf(agents)}>
        <span class="title">
          {formatCount(row.paths.length)} {row.state}
        </span>
        <span class="types narrow-types">{typesOf(row)}</span>
      </span>
      <TableLink row={row} />
      <span class="tokens">{formatTokens(tokens)}</span>
      <span class="cost">{formatUsd(costOf(agents))}</span>
      <span class="timeline fold-line">
        <span class="types">{typesOf(row)}</span>
      </span>
    </>
  );
}

/** Agents that failed alike. */
export function FailureCells({ row }: { row: FailureTreeRow }): VNode {
  return (
    <>
      <span class={`state-icon ${stateClass('failed')}`}>
        <Icon name="failed" />
      </span>
      <span class={`name cut ${stateClass('failed')}`} title={row.message}>
        <span class="title">
          {formatCount(row.paths.length)} × {row.type}
        </span>
      </span>
      <span class="timeline fold-line">
        <span class="types">{row.message}</span>
      </span>
    </>
  );
}

/** "36 failed: Model.RateLimited 31, Output.Invalid 5", "962 completed". */
function foldWords(row: FoldTreeRow): string {
  const types = typesOf(row);
  return `${formatCount(row.paths.length)} ${row.state}${types === '' ? '' : `: ${types}`}`;
}

/** Failure types of failed agents, the most frequent first; empty for other states. */
function typesOf({ state, paths }: FoldTreeRow): string {
  if (state !== 'failed') return '';
  const types = countTypes(groupFailures(rowsOf(paths)));
  return types.map(({ type, count }) => `${type} ${formatCount(count)}`).join(', ');
}

function TableLink({ row }: { row: BatchTreeRow | FoldTreeRow }): VNode | null {
  const params = {
    table: row.callId ?? '-',
    state: row.kind === 'fold' ? row.state.replace(' ', '-') : undefined,
    find: undefined,
  };
  const to = within({ path: row.parent, params });
  if (to === undefined) return null;
  return (
    <a
      class="table-link"
      tabIndex={-1}
      href={formatAddress(to)}
      onClick={(event) => {
        event.stopPropagation();
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        goWithin({ path: row.parent, params });
      }}
    >
      <Icon name="table" /> table
    </a>
  );
}

/** Read without following changes: a row of a thousand agents would be drawn for each of them. */
function rowsOf(paths: readonly string[]): AgentRow[] {
  const run = shownRun.value;
  return paths.flatMap((path) => run?.row(path) ?? []);
}

function costOf(agents: readonly AgentRow[]): number | null {
  return agents.reduce<number | null>((sum, { withDelegations: { microUsd } }) => {
    return sum === null || microUsd === null ? null : sum + microUsd;
  }, 0);
}

function timesOf(agents: readonly AgentRow[]): string {
  const took = agents
    .flatMap(({ startedAt, endedAt }) => (endedAt === null ? [] : [endedAt - startedAt]))
    .sort((a, b) => a - b);
  const [shortest, longest, median] = [took[0], took.at(-1), took[Math.floor(took.length / 2)]];
  if (shortest === undefined || longest === undefined || median === undefined) return '';
  return `shortest ${formatDuration(shortest)}, median ${formatDuration(median)}, longest ${formatDuration(longest)}`;
}

import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { AgentRow, ViewState } from '../../client/view/run-view';
import { StateBadge } from '../components/state-badge';
import { Button } from '../components/button';
import { formatCount, formatDuration, formatTokens, formatUsd, totalTokens } from '../format';
import { agentHref, followLink, goWithin } from '../state/place';
import { selectedPath, shownRun } from '../state/session';
import { batchMembers } from '../tree/tree-layout';
import { windowOf } from '../tree/window';
import { type Column, columns, sortRows } from './table-columns';

const tableRowHeight = 32;

interface BatchTableProps {
  /** Id of the tool call; `-` for agents that were started one by one. */
  readonly table: string;
  readonly state: string | undefined;
}

/** All agents of a batch, sortable. Only rows near the visible ones are mounted. */
export function BatchTable({ table, state }: BatchTableProps): VNode | null {
  const run = shownRun.value;
  const sort = useSignal<{ by: Column; down: boolean }>({ by: 'number', down: false });
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  if (run === undefined || run.changes.value < 0) return null;
  const callId = table === '-' ? null : table;
  const paths = batchMembers(run, selectedPath.value, callId, state?.replace('-', ' ') as ViewState | undefined);
  const rows = sortRows(
    paths.flatMap((path) => run.row(path) ?? []),
    sort.value.by,
    sort.value.down,
  );
  return (
    <div class="batch-table">
      <div class="side-head">
        <h2 ref={heading} tabIndex={-1}>
          {formatCount(rows.length)} {state === undefined ? 'agents' : state.replace('-', ' ')}
          {callId === null ? '' : ` of the batch of turn ${rows[0]?.batch?.turn ?? '?'}`}
        </h2>
        <Button
          kind="quiet"
          icon="close"
          label="Close the table"
          onClick={() => goWithin({ params: { table: undefined, state: undefined } })}
        />
      </div>
      <Rows
        rows={rows}
        runId={run.runId}
        sort={sort.value}
        onSort={(by) => {
          sort.value = { by, down: sort.value.by === by ? !sort.value.down : by !== 'number' && by !== 'headline' };
        }}
      />
    </div>
  );
}

interface RowsProps {
  readonly rows: readonly AgentRow[];
  readonly runId: string;
  readonly sort: { readonly by: Column; readonly down: boolean };
  readonly onSort: (by: Column) => void;
}

function Rows({ rows, runId, sort, onSort }: RowsProps): VNode {
  const scroller = useRef<HTMLDivElement>(null);
  const view = useSignal({ top: 0, height: 600 });
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element !== null) view.value = { top: element.scrollTop, height: element.clientHeight };
  }, []);
  const { first, last } = windowOf(view.value.top, view.value.height, tableRowHeight, rows.length);
  return (
    <div
      ref={scroller}
      class="table-scroll"
      tabIndex={0}
      role="region"
      aria-label="Agents of the batch"
      onScroll={({ currentTarget }) => {
        view.value = { top: currentTarget.scrollTop, height: currentTarget.clientHeight };
      }}
    >
      <table aria-rowcount={rows.length + 1}>
        <Head sort={sort} onSort={onSort} />
        <tbody>
          <tr aria-hidden="true" style={{ height: `${first * tableRowHeight}px` }} />
          {rows.slice(first, last).map((row, index) => (
            <TableRow key={row.path} row={row} runId={runId} index={first + index + 2} />
          ))}
          <tr aria-hidden="true" style={{ height: `${(rows.length - last) * tableRowHeight}px` }} />
        </tbody>
      </table>
    </div>
  );
}

function Head({ sort, onSort }: Pick<RowsProps, 'sort' | 'onSort'>): VNode {
  return (
    <thead>
      <tr aria-rowindex={1}>
        {columns.map(({ id, label }) => (
          <th
            key={id}
            scope="col"
            class={`column-${id}`}
            aria-sort={sort.by === id ? (sort.down ? 'descending' : 'ascending') : 'none'}
          >
            <button type="button" onClick={() => onSort(id)}>
              {label}
              <span aria-hidden="true">{sort.by === id ? (sort.down ? ' ↓' : ' ↑') : ''}</span>
            </button>
          </th>
        ))}
      </tr>
    </thead>
  );
}

function TableRow({ row, runId, index }: { row: AgentRow; runId: string; index: number }): VNode {
  const { own, withDelegations, failure } = row;
  return (
    <tr aria-rowindex={index} style={{ height: `${tableRowHeight}px` }}>
      <td class="column-number">{row.batch === null ? '–' : formatCount(row.batch.index + 1)}</td>
      <td class="column-headline cut">
        <a href={agentHref(runId, row.path)} onClick={followLink} title={row.headline}>
          {row.headline}
        </a>
      </td>
      <td class="column-state">
        <StateBadge state={row.state} />
      </td>
      <td class="column-turns">{formatCount(own.turns)}</td>
      <td class="column-tokens">{formatTokens(totalTokens(withDelegations.usage))}</td>
      <td class="column-cost">{formatUsd(withDelegations.microUsd)}</td>
      <td class="column-took">{row.endedAt === null ? '–' : formatDuration(row.endedAt - row.startedAt)}</td>
      <td class="column-outcome cut" title={failure?.message ?? row.detail}>
        {failure === null ? row.detail : `${failure.type}: ${failure.message}`}
      </td>
    </tr>
  );
}

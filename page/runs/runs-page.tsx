import { useSignalEffect } from '@preact/signals';
import type { RefObject, VNode } from 'preact';
import { useRef } from 'preact/hooks';
import { api } from '../api';
import { Copy } from '../components/copy';
import { Icon } from '../components/icon';
import { formatCount, plural } from '../format';
import { Notice, Problem, Skeleton } from '../shell/problem';
import { formatAddress, type RunFilter, type RunsPlace } from '../state/address';
import { followLink, go, place, recalledScroll, rememberScroll } from '../state/place';
import { loadOlderRuns, loadRuns, runs } from '../state/runs';
import { RunRowView } from './run-row';
import { unseenRuns, useSteadyRows } from './steady-rows';
import './runs.css';

const filters: readonly { readonly status: RunFilter | null; readonly label: string }[] = [
  { status: null, label: 'All' },
  { status: 'needs you', label: 'Needs you' },
  { status: 'running', label: 'Running' },
  { status: 'failed', label: 'Failed' },
  { status: 'done', label: 'Done' },
];

const startExample = 'baton run "Summarise this project" -w .';

/** All runs, newest first. Older ones load on scrolling. */
export function RunsPage(): VNode {
  const scroller = useRef<HTMLDivElement>(null);
  useSignalEffect(() => {
    const to = place.value;
    if (to.page !== 'runs') return;
    unseenRuns.value = 0;
    void loadRuns(to).then(() => {
      const top = recalledScroll('runs');
      if (top !== undefined) scroller.current?.scrollTo({ top });
    });
  });
  const to = place.value;
  if (to.page !== 'runs') return <Skeleton />;
  return (
    <div
      ref={scroller}
      class="runs-page"
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        rememberScroll('runs', scrollTop);
        if (scrollTop < 1) unseenRuns.value = 0;
        if (scrollHeight - scrollTop - clientHeight < 600) void loadOlderRuns(to);
      }}
    >
      <h1 class="visually-hidden" tabIndex={-1}>
        Runs
      </h1>
      <div class="runs-head">
        <nav aria-label="Filter runs by state" class="chips">
          {filters.map(({ status, label }) => (
            <Chip key={label} to={{ ...to, status }} label={label} isCurrent={to.status === status} />
          ))}
        </nav>
        <Search to={to} />
      </div>
      <Gaps />
      <List to={to} scroller={scroller} />
    </div>
  );
}

/** Says what is missing in the list. */
function Gaps(): VNode {
  return (
    <>
      {runs.value.gaps.map((gap) => (
        <Notice key={gap} kind="warning">
          {gap}
        </Notice>
      ))}
    </>
  );
}

function Chip({ to, label, isCurrent }: { to: RunsPlace; label: string; isCurrent: boolean }): VNode {
  const count = runs.value.counts?.[to.status ?? 'all'];
  const isUrgent = to.status === 'needs you' && (count ?? 0) > 0;
  return (
    <a
      class={`chip ${isUrgent ? 'urgent' : ''}`}
      href={formatAddress(to)}
      onClick={followLink}
      {...(isCurrent ? { 'aria-current': 'true' } : {})}
    >
      {label}
      {count === undefined ? null : <span class="chip-count">{formatCount(count)}</span>}
    </a>
  );
}

function Search({ to }: { to: RunsPlace }): VNode {
  return (
    <form class="runs-search" role="search" onSubmit={(event) => event.preventDefault()}>
      <Icon name="search" />
      <input
        id="filter"
        type="search"
        placeholder="Filter by goal or id"
        aria-label="Filter runs by goal or id"
        value={to.q}
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => go({ ...to, q: currentTarget.value }, 'replace')}
      />
    </form>
  );
}

function List({ to, scroller }: { to: RunsPlace; scroller: RefObject<HTMLElement | null> }): VNode {
  const { rows, counts, next, isLoading, error } = runs.value;
  useSteadyRows(scroller, rows);
  if (error !== null && rows.length === 0) return <Problem error={error} onRetry={() => void loadRuns(to)} />;
  if (rows.length === 0 && isLoading) return <Skeleton />;
  if (rows.length === 0) return <Empty to={to} />;
  const all = counts?.[to.status ?? 'all'] ?? rows.length;
  return (
    <>
      <div class="runs-table" role="table" aria-label="Runs" aria-rowcount={next === null ? rows.length + 1 : -1}>
        <div class="run-row head" role="row">
          {['State', 'Goal', 'Agents', 'Tokens', 'Cost', 'Started', 'Took'].map((label) => (
            <span key={label} role="columnheader" class={`run-${label.toLowerCase()}`}>
              {label}
            </span>
          ))}
        </div>
        {rows.map((row) => (
          <RunRowView key={row.runId} row={row} />
        ))}
      </div>
      {error === null ? null : <Problem error={error} onRetry={() => void loadOlderRuns(to)} />}
      <p class="runs-foot">
        {formatCount(rows.length)} of {formatCount(Math.max(all, rows.length))}
        {next === null ? '' : ' · older load as you scroll'}
      </p>
      {unseenRuns.value === 0 ? null : (
        <div class="runs-news">
          <button type="button" class="pill" onClick={() => scroller.current?.scrollTo({ top: 0 })}>
            <Icon name="up" /> {plural(unseenRuns.value, 'new run')}
          </button>
        </div>
      )}
    </>
  );
}

function Empty({ to }: { to: RunsPlace }): VNode {
  if (to.q !== '' || to.status !== null)
    return (
      <p class="runs-empty">
        No run matches.{' '}
        <a href="#/" onClick={followLink}>
          Show all
        </a>
      </p>
    );
  return (
    <div class="runs-empty">
      <p>No runs yet.{api().recordedAt === null ? ' Start one:' : ''}</p>
      <p class="example">
        <code>{startExample}</code>
        <Copy text={startExample} label="Copy the command" />
      </p>
    </div>
  );
}

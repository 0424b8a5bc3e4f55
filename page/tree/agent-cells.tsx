import type { VNode } from 'preact';
import type { AgentRow } from '../../client/view/run-view';
import { StateCounts, stateClass } from '../components/state-badge';
import { Icon } from '../components/icon';
import { describeUsage, formatAge, formatTokens, formatUsd, shortId, totalTokens } from '../format';
import { now } from '../state/clock';
import { totalOf } from '../state/counts';
import { shownRun } from '../state/session';
import { Bars } from '../timeline/timeline';
import { activityOf, titleOf, tooltipOf } from './agent-name';

/** Cells of an agent: state, what it was asked, what it does, tokens, cost, bars. */
export function AgentCells({ path }: { path: string }): VNode | null {
  const row = shownRun.value?.agent(path)?.value;
  if (row === undefined) return null;
  const { withDelegations } = row;
  return (
    <>
      <span class={`state-icon ${stateClass(row.state)}`}>
        <Icon name={row.state} />
      </span>
      <span
        class="name"
        onPointerEnter={({ currentTarget }) => {
          currentTarget.title = tooltipOf(row, now.peek());
        }}
      >
        <span class="title cut">{titleOf(row)}</span>
        {path === '' ? null : <span class="id">{shortId(path.slice(path.lastIndexOf('/') + 1))}</span>}
      </span>
      <Activity row={row} />
      <span class="tokens" title={describeUsage(withDelegations.usage)}>
        {formatTokens(totalTokens(withDelegations.usage))}
      </span>
      <span class="cost">{formatUsd(withDelegations.microUsd)}</span>
      <span class="timeline">
        <Bars row={row} />
      </span>
    </>
  );
}

/** What an agent does, and who is below it. */
function Activity({ row }: { row: AgentRow }): VNode | null {
  const below = shownRun.value?.countsOf(row.path).value ?? {};
  const text = activityOf(row);
  const open = row.segments.at(-1);
  const isBusy = row.state === 'running' && open?.to === null;
  if (text === '' && totalOf(below) === 0) return null;
  return (
    <span class={`activity ${stateClass(row.state)}`} title={row.failure?.message ?? text}>
      <span class="cut">
        {text}
        {isBusy ? ` ${formatAge(now.value - open.from)}` : ''}
      </span>
      {totalOf(below) === 0 ? null : <StateCounts counts={below} />}
    </span>
  );
}

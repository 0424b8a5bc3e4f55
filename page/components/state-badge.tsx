import type { VNode } from 'preact';
import type { ViewState } from '../../client/view/run-view';
import { formatCount } from '../format';
import { type Counts, present, totalOf } from '../state/counts';
import { Icon } from './icon';

/** Name of a state in class names: `needs-you`. */
export function stateClass(state: ViewState): string {
  return `state-${state.replace(' ', '-')}`;
}

/** A state with its icon. Only `needs you` is filled. */
export function StateBadge({ state, detail = '' }: { state: ViewState; detail?: string }): VNode {
  return (
    <span class={`badge ${stateClass(state)}`} title={detail === '' ? state : `${state}: ${detail}`}>
      <Icon name={state} />
      <span>{state}</span>
      {detail === '' ? null : <span class="badge-detail">{detail}</span>}
    </span>
  );
}

/** Words for a screen reader: "962 completed, 36 failed". */
export function describeCounts(counts: Counts): string {
  return present(counts)
    .map(({ state, count }) => `${formatCount(count)} ${state}`)
    .join(', ');
}

/** Shares of states as a bar. */
export function StateBar({ counts }: { counts: Counts }): VNode {
  const total = totalOf(counts);
  const words = describeCounts(counts);
  return (
    <span class="state-bar" role="img" aria-label={words} title={words}>
      {present(counts).map(({ state, count }) => (
        <span key={state} class={stateClass(state)} style={{ flexGrow: count / total }} />
      ))}
    </span>
  );
}

/** Counts with icons, in the order of attention. */
export function StateCounts({ counts }: { counts: Counts }): VNode {
  return (
    <span class="state-counts" title={describeCounts(counts)}>
      {present(counts).map(({ state, count }) => (
        <span key={state} class={stateClass(state)}>
          {formatCount(count)}
          <Icon name={state} />
          <span class="visually-hidden">{state} </span>
        </span>
      ))}
    </span>
  );
}

import type { VNode } from 'preact';
import type { AgentRow } from '../../client/view/run-view';
import { formatAge, formatClock, formatDay, formatDuration, formatFullTime } from '../format';
import { now } from '../state/clock';

/** A time. `day` is for lists, `clock` for rows with seconds. The tooltip has everything. */
export function Time({ at, as = 'clock' }: { at: number; as?: 'day' | 'clock' }): VNode {
  const text = as === 'clock' ? formatClock(at) : formatDay(at, now.value);
  return (
    <time dateTime={new Date(at).toISOString()} title={formatFullTime(at)}>
      {text}
    </time>
  );
}

/** How long a run or an agent took, or has taken until now by the server's clock. If nobody knows, it does not count on. */
export function Took({ of }: { of: Pick<AgentRow, 'startedAt' | 'endedAt' | 'state'> }): VNode {
  const { startedAt: from, endedAt: to, state } = of;
  const open = state === 'unknown' ? '–' : formatAge(now.value - from);
  const text = to === null ? open : formatDuration(to - from);
  return (
    <span title={`started ${formatFullTime(from)}${to === null ? '' : `, ended ${formatFullTime(to)}`}`}>{text}</span>
  );
}

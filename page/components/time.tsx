import type { VNode } from 'preact';
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

/** How long something took, or has taken until now by the server's clock. */
export function Took({ from, to }: { from: number; to: number | null }): VNode {
  const text = to === null ? formatAge(now.value - from) : formatDuration(to - from);
  return (
    <span title={`started ${formatFullTime(from)}${to === null ? '' : `, ended ${formatFullTime(to)}`}`}>{text}</span>
  );
}

import type { VNode } from 'preact';
import { Button } from '../components/button';
import { Icon } from '../components/icon';
import { formatAge, formatClock, formatDay, formatFullTime } from '../format';
import { now } from '../state/clock';
import { connection } from '../state/connection';
import { shownRun, stream } from '../state/session';

/** Says that what is shown does not change, and why. */
export function Banner(): VNode | null {
  const state = connection.value;
  if (state.is === 'recorded') return <Recorded at={state.at} />;
  if (state.is !== 'lost') return null;
  // Read, so that the seconds are counted down.
  const left = now.value > 0 ? state.retryAt - Date.now() : 0;
  return (
    <div class="banner lost">
      <Icon name="warning" />
      <span>
        Not connected since {formatClock(state.since)}. What you see is from then.{' '}
        {left > 1_000 ? `Trying again in ${formatAge(left)}.` : 'Trying again.'}
      </span>
      <Button onClick={() => stream.retry()}>Now</Button>
    </div>
  );
}

function Recorded({ at }: { at: number }): VNode {
  const isOpen = shownRun.value?.run.value.endedAt === null;
  const day = formatDay(at, at + 3 * 86_400_000);
  return (
    <div class="banner recorded" title={formatFullTime(at)}>
      Recorded {day} {formatClock(at).slice(0, 5)}
      {isOpen ? '; the run was not finished then' : ''}. Nothing here changes.
    </div>
  );
}

import { computed, signal } from '@preact/signals';
import type { ViewSegment } from '../../client/view/run-view';
import { now } from '../state/clock';
import type { RunState } from '../state/run-state';
import { shownRun } from '../state/session';
import { type Axis, idlePeriods, makeAxis, type Period, roundedEnd, workingPeriods } from './axis';

/** Width of the bars in pixels. */
export const timelineWidth = signal(0);
/** Whether long periods in which nothing works are folded. */
export const foldsIdle = signal(true);

const start = computed(() => shownRun.value?.run.value.startedAt);
const end = computed(() => {
  const run = shownRun.value?.run.value;
  if (run === undefined) return 0;
  return Math.max(run.endedAt ?? roundedEnd(run.startedAt, now.value), run.startedAt + 1_000);
});

const idle = computed<readonly Period[]>(() => {
  const run = shownRun.value;
  if (run === undefined || !foldsIdle.value) return [];
  // Once a second: reading all segments for every change would be too much.
  const { startedAt, endedAt } = run.run.peek();
  const until = endedAt ?? now.value;
  return idlePeriods({ from: startedAt, to: until }, workingPeriods(segmentsOf(run), until));
});

function* segmentsOf(run: RunState): Iterable<ViewSegment> {
  for (const agent of run.all()) yield* agent.peek().segments;
}

const idleText = computed(() => JSON.stringify(idle.value));

/** The axis of the run that is shown; undefined if there is none. */
export const axis = computed<Axis | undefined>(() => {
  // Compared as text: the list is computed every second, but rarely changes.
  const folded = JSON.parse(idleText.value) as Period[];
  if (start.value === undefined) return undefined;
  return makeAxis({ from: start.value, to: end.value }, folded, timelineWidth.value);
});

import type { ViewSegment } from '../../client/view/run-view';
import type { Axis } from './axis';

/** A bar of one agent. */
export interface Bar {
  readonly kind: ViewSegment['kind'];
  readonly x: number;
  readonly width: number;
  readonly isError: boolean;
}

/** Minimum width of a bar in pixels. */
const narrowest = 2;

/** Turns segments into bars. Segments of one kind that touch on the screen become one bar. */
export function barsOf(segments: readonly ViewSegment[], axis: Axis, now: number): Bar[] {
  const bars: { kind: ViewSegment['kind']; x: number; width: number; isError: boolean }[] = [];
  for (const { kind, from, to, isError } of segments) {
    const x = axis.x(from);
    const width = Math.max(narrowest, axis.x(to ?? now) - x);
    const last = bars.at(-1);
    if (last?.kind === kind && x <= last.x + last.width + 0.5 && isError === last.isError)
      last.width = Math.max(last.width, x + width - last.x);
    else bars.push({ kind, x, width, isError });
  }
  return bars;
}

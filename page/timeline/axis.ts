import type { ViewSegment } from '../../client/view/run-view';

/** A period, in milliseconds since 1970. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

/** A part of the axis. A folded one is drawn with a fixed width, however long it is. */
interface AxisPart extends Period {
  readonly x: number;
  readonly width: number;
  readonly isFolded: boolean;
}

/** Maps times to pixels. */
export interface Axis {
  readonly parts: readonly AxisPart[];
  readonly width: number;
  x(time: number): number;
}

/** Width of a folded period in pixels. */
export const foldedWidth = 24;
/** A period in which nothing works is folded if it is longer than this, in milliseconds … */
const idleMs = 60_000;
/** … and longer than this share of the run. */
const idleShare = 0.05;

/** Periods in which at least one agent works. Waiting is not working. */
export function workingPeriods(segments: Iterable<ViewSegment>, now: number): Period[] {
  const periods: Period[] = [];
  for (const { kind, from, to } of segments) if (kind !== 'wait') periods.push({ from, to: to ?? now });
  periods.sort((a, b) => a.from - b.from);
  const merged: { from: number; to: number }[] = [];
  for (const { from, to } of periods) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else merged.push({ from, to });
  }
  return merged;
}

/** Long periods of a run in which nothing works. */
export function idlePeriods(run: Period, working: readonly Period[]): Period[] {
  const ends = [run.from, ...working.map(({ to }) => to)];
  const begins = [...working.map(({ from }) => from), run.to];
  return ends.flatMap((from, index) => {
    const to = begins[index] ?? run.to;
    const isLong = to - from > idleMs && to - from > idleShare * (run.to - run.from);
    return isLong ? [{ from, to }] : [];
  });
}

/** Makes an axis of this width. */
export function makeAxis(run: Period, folded: readonly Period[], width: number): Axis {
  const foldedMs = folded.reduce((sum, { from, to }) => sum + to - from, 0);
  const perMs = Math.max(0, width - folded.length * foldedWidth) / Math.max(1, run.to - run.from - foldedMs);
  const parts: AxisPart[] = [];
  let [at, x] = [run.from, 0];
  const add = (to: number, isFolded: boolean): void => {
    const partWidth = isFolded ? foldedWidth : (to - at) * perMs;
    if (to > at) parts.push({ from: at, to, x, width: partWidth, isFolded });
    x += to > at ? partWidth : 0;
    at = Math.max(at, to);
  };
  for (const { from, to } of folded) {
    add(from, false);
    add(to, true);
  }
  add(run.to, false);
  return { parts, width, x: (time) => xIn(parts, time) };
}

function xIn(parts: readonly AxisPart[], time: number): number {
  const part = parts.find(({ to }) => time <= to) ?? parts.at(-1);
  if (part === undefined) return 0;
  const share = (time - part.from) / Math.max(1, part.to - part.from);
  return part.x + Math.max(0, Math.min(1, share)) * part.width;
}

const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 43_200, 86_400].map(
  (seconds) => seconds * 1_000,
);

/** Times at which the axis has a label, at least `distance` pixels apart. */
export function ticksOf(
  { parts }: Axis,
  start: number,
  distance = 84,
): { readonly time: number; readonly x: number }[] {
  const scale = parts.find(({ isFolded, width }) => !isFolded && width > 0);
  if (scale === undefined) return [];
  const perMs = scale.width / (scale.to - scale.from);
  const step = steps.find((each) => each * perMs >= distance) ?? Math.ceil(distance / perMs / 86_400_000) * 86_400_000;
  const ticks: { time: number; x: number }[] = [];
  for (const part of parts.filter(({ isFolded }) => !isFolded)) {
    for (let time = start + Math.ceil((part.from - start) / step) * step; time <= part.to; time += step) {
      const x = part.x + (time - part.from) * perMs;
      if (ticks.length === 0 || x - (ticks.at(-1)?.x ?? 0) >= distance * 0.7) ticks.push({ time, x });
    }
  }
  return ticks;
}

/** The end of the axis of a run that is still working: ahead of now, so that bars don't move every second. */
export function roundedEnd(start: number, now: number): number {
  const taken = Math.max(1_000, now - start);
  const step = steps.find((each) => each >= taken / 12) ?? 86_400_000;
  return start + Math.ceil((taken * 1.02) / step) * step;
}

import { median } from '../support/statistics';
import type { Row } from './benchmark';
import { goals } from './goals';

/** What a row says, besides its figures. */
export interface RowOptions {
  readonly name: string;
  readonly unit: string;
  readonly wants: Row['wants'];
  /** What a full run must keep to. Default: the goal of this name, if there is one. */
  readonly bound?: Row['bound'];
}

/** Makes a row of values that were measured in pairs with those of the baseline. */
export function compared(options: RowOptions, values: readonly number[], baselines: readonly number[]): Row {
  const ratios = values.map((value, index) => value / (baselines[index] ?? Number.NaN));
  const [value, baseline] = [median(values), median(baselines)];
  const figures = { value: rounded(value), baseline: rounded(baseline) };
  // Nothing can be compared with a baseline of zero, such as a number of repeated calls.
  if (baselines.includes(0)) return { ...row(options, values), ...figures, ratio: null };
  return { ...row(options, ratios), ...figures, ratio: rounded(value / baseline) };
}

/** Makes a row of values that have no baseline. */
export function measured(options: RowOptions, values: readonly number[]): Row {
  return { ...row(options, values), value: rounded(median(values)), baseline: null, ratio: null };
}

/** Whether a row is within its bound. */
export function isWithinBound({ wants, bound, ...figure }: Row): boolean {
  if (bound === undefined) return true;
  const judged = figure[bound.of] ?? Number.NaN;
  return wants === 'more' ? judged >= bound.is : judged <= bound.is;
}

function row(
  { name, unit, wants, bound }: RowOptions,
  spread: readonly number[],
): Omit<Row, 'value' | 'baseline' | 'ratio'> {
  const [low, high] = [Math.min(...spread), Math.max(...spread)];
  return {
    name,
    unit,
    wants,
    bound: bound ?? goals[name],
    rounds: spread.length,
    low: rounded(low),
    high: rounded(high),
  };
}

/** Rounds to four significant digits: no figure is more exact. */
function rounded(value: number): number {
  return Number(value.toPrecision(4));
}

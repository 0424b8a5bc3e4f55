import type { Figure, Row } from './benchmark';
import { isWithinBound } from './rows';

/** Names of the cells. */
export const header = [
  'name',
  'value',
  'baseline',
  'unit',
  'ratio',
  'low to high',
  'rounds',
  'better',
  'bound',
] as const;

/** Formats a figure; those that are missing as a dash. */
export function number(value: number | null): string {
  if (value === null) return '–';
  return value.toLocaleString('en-US', { maximumSignificantDigits: 4 });
}

/** Returns the cells of a row. */
export function cells(row: Row): string[] {
  const { name, value, baseline, unit, ratio, low, high, rounds, wants, bound } = row;
  const judged = bound === undefined ? '' : `${bound.of} at ${wants === 'more' ? 'least' : 'most'} ${number(bound.is)}`;
  return [
    name,
    number(value),
    number(baseline),
    unit,
    number(ratio),
    `${number(low)} to ${number(high)}`,
    String(rounds),
    wants,
    isWithinBound(row) ? judged : `EXCEEDED: ${judged}`,
  ];
}

/** Formats rows as a table for a terminal. */
export function toTable(rows: readonly Row[]): string {
  const lines = [[...header], ...rows.map(cells)];
  const widths = header.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const isNumber = (column: number): boolean => [1, 2, 4, 6].includes(column);
  return lines
    .map((line) =>
      line
        .map((cell, column) => (isNumber(column) ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Formats rows as a JSON array. */
export function toJson(rows: readonly Row[]): string {
  const figures = rows.map(({ name, value, unit, baseline, ratio, rounds, low, high }): Figure => {
    return { name, value, unit, baseline, ratio, rounds, low, high };
  });
  return JSON.stringify(figures, undefined, 2);
}

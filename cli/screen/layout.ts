import type { Line, Span } from './style';
import { cutToWidth, displayWidth, padToWidth } from './width';

/** A cell of a table, plain or with a style. */
export type Cell = Span;

const gap = 2;

/**
 * Lays out rows as columns without borders. The last column gets the columns that are left of the screen, at least
 * `least`, and is cut there; without a screen it keeps its length.
 */
export function tableLines(
  rows: readonly (readonly Cell[])[],
  columns: number | undefined,
  least = 12,
): readonly Line[] {
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count - 1 }, (_, index) =>
    Math.max(...rows.map((row) => displayWidth(textOf(row[index] ?? '')))),
  );
  const used = widths.reduce((sum, width) => sum + width + gap, 0);
  const room = columns === undefined ? Infinity : Math.max(least, columns - used);
  return rows.map((row) =>
    row.map((cell, index): Span => {
      const text = textOf(cell);
      const width = widths[index];
      const shown = width === undefined ? cutToWidth(text, room) : `${padToWidth(text, width)}${' '.repeat(gap)}`;
      return typeof cell === 'string' ? shown : { ...cell, text: shown };
    }),
  );
}

function textOf(cell: Cell): string {
  return typeof cell === 'string' ? cell : cell.text;
}

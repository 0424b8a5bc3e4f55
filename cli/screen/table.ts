import Table from 'cli-table3';
import { visibleText } from '../../domain/kernel';

/** Formats rows as columns without borders, padded by the displayed width. */
export function columns(rows: readonly (readonly string[])[]): string {
  const none = '';
  const table = new Table({
    chars: {
      top: none,
      'top-mid': none,
      'top-left': none,
      'top-right': none,
      bottom: none,
      'bottom-mid': none,
      'bottom-left': none,
      'bottom-right': none,
      left: none,
      'left-mid': none,
      mid: none,
      'mid-mid': none,
      right: none,
      'right-mid': none,
      middle: '  ',
    },
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
  });
  // Widths are measured here, so what makes a text wider must happen before.
  for (const row of rows) table.push(row.map(visibleText));
  return table.toString().replace(/[ \t]+$/gm, '');
}

import Table from 'cli-table3';
import { totalTokens, type Usage } from '../domain/model/usage';

/** Columns without borders, padded by what a terminal shows. */
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
  table.push(...rows.map((row) => [...row]));
  return table.toString().replace(/[ \t]+$/gm, '');
}

export function count(value: number): string {
  return value.toString().replace(/\B(?=(\d{3})+$)/g, ',');
}

export function bytes(value: number): string {
  if (value < 1024) return `${value} B`;
  if (value < 1024 * 1024) return `${(value / 1024).toFixed(1)} KiB`;
  if (value < 1024 ** 3) return `${(value / 1024 ** 2).toFixed(1)} MiB`;
  return `${(value / 1024 ** 3).toFixed(1)} GiB`;
}

export function duration(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  if (seconds < 60) return `${(milliseconds / 1000).toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function tokens(usage: Usage): string {
  const { input, cacheRead, cacheWrite, output } = usage;
  const parts = `input ${count(input)}, cache read ${count(cacheRead)}, cache write ${count(cacheWrite)}, output ${count(output)}`;
  return `${count(totalTokens(usage))} (${parts})`;
}

export function share(part: number, whole: number): string {
  return `${count(part)} of ${count(whole)} tokens (${((part / whole) * 100).toFixed(part / whole < 0.1 ? 1 : 0)} %)`;
}

/** The first line of a text, short enough for a list. */
export function headline(text: string, width = 60): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return line.length <= width ? line : `${line.slice(0, width - 1)}…`;
}

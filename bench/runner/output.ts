import { readFile, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import type { Figure, Row } from './benchmark';
import { isWithinBound } from './rows';

const header = ['name', 'value', 'baseline', 'unit', 'ratio', 'low to high', 'rounds', 'better', 'bound'] as const;

function number(value: number | null): string {
  if (value === null) return '–';
  return value.toLocaleString('en-US', { maximumSignificantDigits: 4 });
}

function cells(row: Row): string[] {
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

/** Page that contains the table, relative to the compiled file. */
const page = join(__dirname, '..', '..', '..', 'docs', 'benchmarks.md');
const [start, end] = ['<!-- figures: npm run bench -- --markdown -->', '<!-- end of figures -->'];

/** Writes rows into the page. Rows that were not measured this time are kept. */
export async function writePage(rows: readonly Row[], file = page): Promise<void> {
  const [before, rest] = split(await readFile(file, 'utf8'), start);
  const [old, after] = split(rest, end);
  const fresh = new Map(rows.map((row) => [`\`${row.name}\``, pageCells(row)]));
  const lines = old.split('\n').filter((line) => line.startsWith('| `'));
  const table = lines.map((line) => {
    const kept = line.split('|').slice(1, -1);
    const name = kept[0]?.trim() ?? '';
    const measured = fresh.get(name);
    fresh.delete(name);
    return measured ?? kept.map((cell) => cell.trim());
  });
  const text = markdownTable([header.slice(0, -1), ...table, ...fresh.values()]);
  await writeFile(file, `${before}${start}\n\n${machine()}\n\n${text}\n\n${end}${after}`);
}

function pageCells(row: Row): string[] {
  const [name, ...others] = cells(row).slice(0, -1);
  return [`\`${name}\``, ...others];
}

/** Formats a table as Prettier does. */
function markdownTable([first = [], ...others]: readonly (readonly string[])[]): string {
  const widths = first.map((_, column) => Math.max(...[first, ...others].map((line) => line[column]?.length ?? 0), 3));
  const lines = [first, widths.map((width) => '-'.repeat(width)), ...others];
  return lines
    .map((line) => `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`)
    .join('\n');
}

function split(text: string, at: string): [string, string] {
  const index = text.indexOf(at);
  if (index < 0) throw new Error(`docs/benchmarks.md has no line "${at}"`);
  return [text.slice(0, index), text.slice(index + at.length)];
}

function machine(): string {
  const gigabytes = Math.round(totalmem() / 1024 ** 3);
  const day = new Date().toISOString().slice(0, 10);
  return `${day}, Node.js ${process.versions.node}, ${cpus().length} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), ${gigabytes} GB.`;
}

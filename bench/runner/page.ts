import { readFile, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import type { Row } from './benchmark';
import { cells, header } from './output';

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
export function markdownTable([first = [], ...others]: readonly (readonly string[])[]): string {
  const widths = first.map((_, column) => Math.max(...[first, ...others].map((line) => line[column]?.length ?? 0), 3));
  const lines = [first, widths.map((width) => '-'.repeat(width)), ...others];
  return lines
    .map((line) => `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`)
    .join('\n');
}

/** Splits a page before and after a line that it must have. */
export function split(text: string, at: string): [string, string] {
  const index = text.indexOf(at);
  if (index < 0) throw new Error(`The page has no line "${at}"`);
  return [text.slice(0, index), text.slice(index + at.length)];
}

/** Says when and on which machine figures were taken. */
export function machine(): string {
  const gigabytes = Math.round(totalmem() / 1024 ** 3);
  const day = new Date().toISOString().slice(0, 10);
  return `${day}, Node.js ${process.versions.node}, ${cpus().length} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), ${gigabytes} GB.`;
}

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Row } from '../runner/benchmark';
import { number } from '../runner/output';
import { machine, markdownTable, split } from '../runner/page';
import { baton, peers } from './contenders';
import { versionOf } from './installation';

/** The tables of the page: one line per system, one column per figure. */
const tables: readonly { readonly title: string; readonly columns: Readonly<Record<string, string>> }[] = [
  {
    title: 'Bytes stored',
    columns: {
      'bytes_per_turn.10': 'per turn at 10',
      'bytes_per_turn.50': 'at 50',
      'bytes_per_turn.100': 'at 100',
      'bytes_per_turn.200': 'at 200',
      'stored.100': 'after 100 turns',
      'stored.200': 'after 200 turns',
      turns_reached: 'turns reached',
    },
  },
  {
    title: 'Time without the model',
    columns: {
      'ms_per_turn.10': 'ms per turn at 10',
      'ms_per_turn.50': 'at 50',
      'ms_per_turn.100': 'at 100',
      'ms_per_turn.200': 'at 200',
      children: 'children/s',
    },
  },
  { title: 'Killed during a model call', columns: killed('model') },
  { title: 'Killed during a tool call', columns: killed('tool') },
];

function killed(point: string): Readonly<Record<string, string>> {
  const columns = {
    calls_again: 'model calls again',
    tools_again: 'tool calls again',
    seconds: 'seconds until it continues',
    asked: 'requests to continue',
  };
  return Object.fromEntries(Object.entries(columns).map(([name, text]) => [`killed_in_${point}.${name}`, text]));
}

/** Page that contains the tables, relative to the compiled file. */
const page = join(__dirname, '..', '..', '..', 'docs', 'beside-others.md');
const [start, end] = ['<!-- figures: npm run bench -- peer --markdown -->', '<!-- end of figures -->'];

/** Writes figures into the page. Systems that were not measured this time keep theirs. */
export async function writePeersPage(rows: readonly Row[], file = page): Promise<void> {
  const [before, rest] = split(await readFile(file, 'utf8'), start);
  const [old, after] = split(rest, end);
  const figures = new Map(
    rows.flatMap(({ name, value, baseline }) => {
      const [, system = '', ...figure] = name.split('.');
      const own = [`${baton.name}.${figure.join('.')}`, value] as const;
      return baseline === null ? [own] : [own, [`${system}.${figure.join('.')}`, baseline] as const];
    }),
  );
  const text = tables.map(({ title, columns }) => `### ${title}\n\n${tableOf(columns, figures, tableIn(old, title))}`);
  await writeFile(file, [`${before}${start}`, machine(), versions(), ...text, `${end}${after}`].join('\n\n'));
}

type Lines = ReadonlyMap<string, readonly string[]>;

function tableOf(columns: Readonly<Record<string, string>>, figures: ReadonlyMap<string, number>, kept: Lines): string {
  const lines = [baton, ...peers].flatMap(({ name }) => {
    const measured = Object.keys(columns).map((figure) => figures.get(`${name}.${figure}`));
    if (measured.every((figure) => figure === undefined)) return kept.has(name) ? [kept.get(name) ?? []] : [];
    return [[`\`${name}\``, ...measured.map((figure) => number(figure ?? null))]];
  });
  return markdownTable([['system', ...Object.values(columns)], ...lines]);
}

/** Reads the lines of a table that the page has already, by system. */
function tableIn(text: string, title: string): Lines {
  const table = text.split(`### ${title}\n`)[1]?.split('### ')[0] ?? '';
  const lines = table.split('\n').filter((line) => line.startsWith('| `'));
  return new Map(
    lines.map((line) => {
      const cells = line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim());
      return [cells[0]?.replaceAll('`', '') ?? '', cells];
    }),
  );
}

function versions(): string {
  const lines = peers.map(({ name, packages }) => [
    `\`${name}\``,
    packages.map((one) => `${one} ${versionOf(one)}`).join(', '),
  ]);
  return markdownTable([['system', 'versions'], ...lines]);
}

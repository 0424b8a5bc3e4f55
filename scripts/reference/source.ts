// Helpers shared by the reference pages.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(__dirname, '..', '..');

export function readSource(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

export function filesIn(folder: string): string[] {
  return readdirSync(join(root, folder));
}

/** Reads all TypeScript sources below the given folders. */
export function sources(folders: readonly string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readSource(join(folder, name))),
  );
}

type Cells = readonly (string | number)[];

export function table(head: Cells, rows: readonly Cells[]): string {
  const line = (cells: Cells): string => `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Throws unless the names described by hand are exactly those in the program. */
export function requireSame<T extends string | number>(
  what: string,
  explained: readonly T[],
  found: readonly T[],
): void {
  const missing = found.filter((name) => !explained.includes(name));
  const gone = explained.filter((name) => !found.includes(name));
  if (missing.length > 0) throw new Error(`${what}: no description of ${missing.join(', ')} in scripts/reference/`);
  if (gone.length > 0)
    throw new Error(`${what}: scripts/reference/ describes ${gone.join(', ')}, which no longer exists`);
}

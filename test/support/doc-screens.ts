import type { LogEntry } from '@temporalio/worker';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from './paths';

const docs = join(projectRoot, 'docs');
const isWriting = process.env['BATON_WRITE_SCREENS'] === '1';

/**
 * Compares a screen of the docs with what was printed. In the docs it is the first code block after `<!-- screen: name -->`.
 * What differs from run to run counts as equal: ids of delegations, times, durations, amounts, the width of columns, and
 * where a long line is cut. With BATON_WRITE_SCREENS=1 the docs are written instead.
 */
export async function expectScreen(
  file: string,
  name: string,
  printed: string,
  { anyOrder = false }: { readonly anyOrder?: boolean } = {},
): Promise<void> {
  const path = join(docs, file);
  const { page, whole, before, shown, after } = await findScreen(path, name);
  if (isWriting)
    await writeFile(
      path,
      page.replace(whole, () => `${before}${printed.trimEnd()}${after}`),
    );
  else if (anyOrder) expect(masked(printed).sort()).toEqual(masked(shown).sort());
  else expect(masked(printed)).toEqual(masked(shown));
}

/** The lines of a screen that leaves much out. The test that names it compares what is left. */
export async function screenLines(file: string, name: string): Promise<readonly string[]> {
  return (await findScreen(join(docs, file), name)).shown.split('\n');
}

/** Compares the fields of a line of the docs, which leaves out some of them, with one that was logged. */
export async function expectDocumented(line: LogEntry | undefined): Promise<void> {
  const screen = await screenLines('observability.md', 'logs');
  const shown = screen.find((each) => each.startsWith(`${line?.level ?? ''} ${line?.message ?? ''} {`)) ?? '';
  const fields = [...shown.matchAll(/"(\w+)":/g)].map(([, name = '']) => name);
  expect(fields.length).toBeGreaterThan(2);
  expect(Object.keys(line?.meta ?? {})).toEqual(expect.arrayContaining(fields));
}

async function findScreen(
  path: string,
  name: string,
): Promise<Record<'page' | 'whole' | 'before' | 'shown' | 'after', string>> {
  const page = await readFile(path, 'utf8');
  const block = new RegExp(`(<!-- screen: ${name} -->\\n\\n *\`\`\`(?:text|console)\\n)([^]*?)(\\n *\`\`\`\\n)`);
  const found = block.exec(page);
  if (found === null) throw new Error(`${path} has no screen "${name}"`);
  const [whole, before = '', shown = '', after = ''] = found;
  return { page, whole, before, shown, after };
}

function masked(screen: string): string[] {
  return screen.trimEnd().split('\n').map(maskedLine);
}

function maskedLine(line: string): string {
  return line
    .replace(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\.\d{3}Z?/g, '<time>')
    .replace(/\b\d\d:\d\d(:\d\d)?\b/g, '<time>')
    .replace(/\b(?:just now|\d+ (?:s|min|h) ago)\b/g, '<ago>')
    .replace(/\b\d+(?:\.\d+)? (?:ms|s|min|h)\b(?: \d+ (?:s|min))?/g, '<duration>')
    .replace(/\b(?=[0-9a-z]*\d)[0-9a-z]{8}\b/g, '<id>')
    .replace(/127\.0\.0\.1:\d+\/#k=\S+/g, '<address>')
    .replace(/"by":"[^"]*"/g, '"by":"<agent>"')
    .replace(/\b\d[\d.,]*k? (?:tokens|cached|out)\b/g, '<tokens>')
    .replace(/\$\d+\.\d+/g, '<cost>')
    .replace(/\b\d+(?:\.\d+)? (?:B|KiB)\b/g, '<size>')
    .replace(/[├└]/g, '├')
    .replace(/ {2,}/g, '  ')
    .replace(/^(.{40}).*…$/, '$1…')
    .trimEnd();
}

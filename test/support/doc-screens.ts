import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const docs = join(__dirname, '../../docs');
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
  const page = await readFile(path, 'utf8');
  const block = new RegExp(`(<!-- screen: ${name} -->\\n\\n\`\`\`(?:text)?\\n)([^]*?)(\\n\`\`\`\\n)`);
  const found = block.exec(page);
  if (found === null) throw new Error(`docs/${file} has no screen "${name}"`);
  const [, before = '', shown = '', after = ''] = found;
  if (isWriting)
    await writeFile(
      path,
      page.replace(found[0], () => `${before}${printed.trimEnd()}${after}`),
    );
  else if (anyOrder) expect(masked(printed).sort()).toEqual(masked(shown).sort());
  else expect(masked(printed)).toEqual(masked(shown));
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
    .replace(/\b\d[\d.,]*k? tokens\b/g, '<tokens>')
    .replace(/\$\d+\.\d+/g, '<cost>')
    .replace(/\b\d+(?:\.\d+)? (?:B|KiB)\b/g, '<size>')
    .replace(/[├└]/g, '├')
    .replace(/ {2,}/g, '  ')
    .replace(/^(.{40}).*…$/, '$1…')
    .trimEnd();
}

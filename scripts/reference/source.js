// Helpers that the pages of the reference share.
const { readdirSync, readFileSync } = require('node:fs');
const { join, resolve } = require('node:path');

const root = resolve(__dirname, '..', '..');

function readSource(path) {
  return readFileSync(join(root, path), 'utf8');
}

/** All TypeScript sources below some folders. */
function sources(folders) {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readSource(join(folder, name))),
  );
}

function table(head, rows) {
  const line = (cells) => `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** What is explained by hand must be exactly what there is. */
function requireSame(what, explained, found) {
  const missing = found.filter((name) => !explained.includes(name));
  const gone = explained.filter((name) => !found.includes(name));
  if (missing.length > 0) throw new Error(`${what}: nothing is said of ${missing.join(', ')} (scripts/reference/)`);
  if (gone.length > 0) throw new Error(`${what}: there is no ${gone.join(', ')} any more (scripts/reference/)`);
}

module.exports = { readSource, requireSame, root, sources, table };

// Helpers shared by the reference pages.
const { readdirSync, readFileSync } = require('node:fs');
const { join, resolve } = require('node:path');

const root = resolve(__dirname, '..', '..');

function readSource(path) {
  return readFileSync(join(root, path), 'utf8');
}

/** Reads all TypeScript sources below the given folders. */
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

/** Throws unless the names described by hand are exactly those in the program. */
function requireSame(what, explained, found) {
  const missing = found.filter((name) => !explained.includes(name));
  const gone = explained.filter((name) => !found.includes(name));
  if (missing.length > 0) throw new Error(`${what}: no description of ${missing.join(', ')} in scripts/reference/`);
  if (gone.length > 0)
    throw new Error(`${what}: scripts/reference/ describes ${gone.join(', ')}, which no longer exists`);
}

module.exports = { readSource, requireSame, root, sources, table };

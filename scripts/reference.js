// Writes docs/reference/*.md from the built program, and the index of docs/decisions/: `npm run reference`. With --check it
// compares instead, and fails when a page is not what the program says.
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const { join, resolve } = require('node:path');
const prettier = require('prettier');

const folder = resolve(__dirname, '..', 'docs');
const pages = {
  'decisions/README.md': require('./reference/decisions.js'),
  'reference/cli.md': require('./reference/cli.js'),
  'reference/environment.md': require('./reference/environment.js'),
  'reference/failure-types.md': require('./reference/failure-types.js'),
  'reference/messages.md': require('./reference/messages.js'),
  'reference/search-attributes.md': require('./reference/search-attributes.js'),
  'reference/settings.md': require('./reference/settings.js'),
  'reference/tools.md': require('./reference/tools.js'),
};
const note = '<!-- Written by `npm run reference` from the program itself: change it there. -->';

async function main() {
  const isCheck = process.argv.includes('--check');
  const stale = [];
  for (const [name, write] of Object.entries(pages)) {
    const path = join(folder, name);
    const options = { ...(await prettier.resolveConfig(path)), parser: 'markdown' };
    const page = await prettier.format(`${note}\n\n${await write()}\n`, options);
    if (existsSync(path) && readFileSync(path, 'utf8') === page) continue;
    stale.push(name);
    if (!isCheck) writeFileSync(path, page);
  }
  if (isCheck && stale.length > 0) {
    throw new Error(`Not up to date: ${stale.join(', ')}. Write them anew with: npm run reference`);
  }
  process.stderr.write(stale.length === 0 ? 'The reference is up to date.\n' : `Written: ${stale.join(', ')}\n`);
}

main().catch((error) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});

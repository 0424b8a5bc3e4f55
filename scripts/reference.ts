// Writes docs/reference/ from the program, and the index of docs/decisions/: `npm run reference`. With --check it
// compares them instead, and fails when a page differs from the program.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import prettier from 'prettier';
import { activitiesPage } from './reference/activities';
import { cliPage } from './reference/cli';
import { decisionsPage } from './reference/decisions';
import { environmentPage } from './reference/environment';
import { excludedFilesPage } from './reference/excluded-files';
import { failureTypesPage } from './reference/failure-types';
import { messagesPage } from './reference/messages';
import { searchAttributesPage } from './reference/search-attributes';
import { schemaPages, schemasPage } from './reference/schemas';
import { relayInputSchema, runInputSchema, settingsPage } from './reference/settings';
import { toolsPage } from './reference/tools';

const folder = resolve(__dirname, '..', 'docs');
const pages: Readonly<Record<string, () => string | Promise<string>>> = {
  'decisions/README.md': decisionsPage,
  'reference/activities.md': activitiesPage,
  'reference/cli.md': cliPage,
  'reference/environment.md': environmentPage,
  'reference/excluded-files.md': excludedFilesPage,
  'reference/failure-types.md': failureTypesPage,
  'reference/messages.md': messagesPage,
  'reference/relay-input.schema.json': relayInputSchema,
  'reference/run-input.schema.json': runInputSchema,
  'reference/schemas/README.md': schemasPage,
  ...Object.fromEntries(Object.entries(schemaPages()).map(([name, write]) => [`reference/schemas/${name}`, write])),
  'reference/search-attributes.md': searchAttributesPage,
  'reference/settings.md': settingsPage,
  'reference/tools.md': toolsPage,
};
const note = '<!-- Written by `npm run reference` from the program itself: change it there. -->';

async function main(): Promise<void> {
  const isCheck = process.argv.includes('--check');
  const stale: string[] = [];
  for (const [name, write] of Object.entries(pages)) {
    const path = join(folder, name);
    const isJson = name.endsWith('.json');
    const options = { ...(await prettier.resolveConfig(path)), parser: isJson ? 'json' : 'markdown' };
    const text = await write();
    const page = await prettier.format(isJson ? text : `${note}\n\n${text}\n`, options);
    if (existsSync(path) && readFileSync(path, 'utf8') === page) continue;
    stale.push(name);
    if (!isCheck) writeFileSync(path, page);
  }
  if (isCheck && stale.length > 0) {
    throw new Error(`Not up to date: ${stale.join(', ')}. Write them anew with: npm run reference`);
  }
  process.stderr.write(stale.length === 0 ? 'The reference is up to date.\n' : `Written: ${stale.join(', ')}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});

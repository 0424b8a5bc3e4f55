import { copyEndings, harmlessFiles, secretFiles } from '../../domain/workspace';
import { table } from './source';

const code = (pattern: string): string => `\`${pattern}\``;
const list = (patterns: readonly string[]): string => patterns.map(code).join(' ');

export function excludedFilesPage(): string {
  return [
    '# Files that are not mounted',
    'Files and folders with these names are left out of a workspace, in any folder and whatever the case, because they commonly contain credentials. `*` stands for any characters, `{a,b}` for one of several. An agent that names one is told that it is not available, and cannot create one.',
    table(
      ['files that hold', 'files, and folders with everything in them', 'only files'],
      secretFiles.map(({ kind, names, files = [] }) => [kind, list(names), list(files)]),
    ),
    `Copies are left out too: the same names followed by ${code(copyEndings)}. Templates and public keys are mounted: ${list(harmlessFiles)}.`,
    'Only names are compared, not contents. A password in `config.ts`, a copy of `.env` under another name and a hard link to it are mounted like any other file: a hard link is a second name of the same file, which nothing distinguishes from the first.',
    'To mount such a file anyway, name it in `BATON_WORKSPACE_INCLUDE` when you start the worker: see [environment](environment.md).',
  ].join('\n\n');
}

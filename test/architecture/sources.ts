import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../support/paths';

/** A source file; `path` is relative to the project. */
export interface Source {
  readonly path: string;
  readonly text: string;
}

/** Folders of the program itself. Everything that is shipped is in one of them. */
export const programFolders = [
  'activities',
  'cli',
  'client',
  'definitions',
  'domain',
  'encryption',
  'page',
  'store',
  'temporal-config',
  'testing',
  'worker',
  'workflows',
];

/** Reads all TypeScript files below these folders. */
export function sourcesIn(folders: readonly string[]): Source[] {
  return folders.flatMap((folder) =>
    readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !name.includes('node_modules/'))
      .map((name) => join(folder, name))
      .map((path) => ({ path, text: readFileSync(join(projectRoot, path), 'utf8') })),
  );
}

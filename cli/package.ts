import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Folder of Baton's own package. It is not at the same distance from the sources as from the compiled code. */
export const packageFolder = findFolder(__dirname);

function findFolder(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : findFolder(dirname(folder));
}

/** Baton's own package.json. */
export function readManifest(): { readonly version: string; readonly peerDependencies: { readonly zod: string } } {
  return JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as ReturnType<typeof readManifest>;
}

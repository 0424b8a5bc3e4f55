import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../support/paths';

/** The environment variables of the generated reference, which a test compares with the program. */
export function referencedVariables(): string[] {
  const page = readFileSync(join(projectRoot, 'docs', 'reference', 'environment.md'), 'utf8');
  return [...page.matchAll(/^\| `([A-Z_0-9]+)`/gm)].map(([, name = '']) => name);
}

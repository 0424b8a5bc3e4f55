import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Compiled code stands two folders below the package's root. */
export function packageVersion(): string {
  const manifest = readFileSync(join(__dirname, '..', '..', 'package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

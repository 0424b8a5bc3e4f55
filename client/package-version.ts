import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Compiled code stands two folders below the package's root, its source one. */
export function packageVersion(): string {
  const places = [join(__dirname, '..', 'package.json'), join(__dirname, '..', '..', 'package.json')];
  const manifest = readFileSync(places.find((place) => existsSync(place)) ?? '', 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

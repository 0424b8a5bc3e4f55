import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Reads the version from package.json, which is one folder above the source and two above the compiled code. */
export function packageVersion(): string {
  const places = [join(__dirname, '..', 'package.json'), join(__dirname, '..', '..', 'package.json')];
  const manifest = readFileSync(places.find((place) => existsSync(place)) ?? '', 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

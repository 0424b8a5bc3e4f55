// Prints a software bill of materials of everything that is installed with Baton (`npm run sbom`). `npm sbom --omit dev` would
// leave out what a development dependency needs as well, the SDK of Temporal among them. So npm is shown a lock file that has
// nothing for development.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

interface Manifest {
  readonly name: string;
  readonly devDependencies?: unknown;
}

interface Lock {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly devDependencies?: unknown }>>;
}

const read = (name: string): unknown => JSON.parse(readFileSync(resolve(__dirname, '..', name), 'utf8'));

function withoutDevelopment(): { readonly manifest: Manifest; readonly lock: Lock } {
  const { devDependencies: _, ...manifest } = read('package.json') as Manifest;
  const lock = read('package-lock.json') as Lock;
  const kept = Object.entries(lock.packages).filter(([, { dev }]) => dev !== true);
  const packages = kept.map(([place, { devDependencies: _ofRoot, ...entry }]) => [place, entry] as const);
  return { manifest, lock: { ...lock, packages: Object.fromEntries(packages) } };
}

function main(): number {
  const { manifest, lock } = withoutDevelopment();
  const temporary = mkdtempSync(join(tmpdir(), 'baton-sbom-'));
  try {
    // npm names the project after its folder.
    const folder = join(temporary, manifest.name);
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
    const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
    const { status, error } = spawnSync('npm', args, { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });
    if (error !== undefined) throw error;
    return status ?? 1;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

process.exitCode = main();

// Completes the lock files after `npm install` from a registry that has the packages of some platforms only. npm leaves
// out packages that it can't see, and `npm ci` then rejects a lock file on every machine. Added entries have no checksum;
// only machines of those platforms fetch them.
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

interface LockedPackage {
  readonly version?: string;
  readonly dev?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

type Packages = Readonly<Record<string, LockedPackage>>;

interface Lock {
  readonly packages: Packages;
}

interface Missing {
  readonly name: string;
  readonly version: string;
  readonly dev: boolean;
}

const lockFiles = ['package-lock.json', 'bench/peers/package-lock.json'];
const systems = 'android|darwin|freebsd|linux|openharmony|win32';

/** Optional dependencies of locked packages that are not locked themselves. */
function missingFrom(packages: Packages): Missing[] {
  const known = new Set(Object.keys(packages).map((place) => place.replace(/^.*node_modules\//, '')));
  return Object.values(packages).flatMap(({ optionalDependencies = {}, dev = false }) =>
    Object.entries(optionalDependencies)
      .filter(([name]) => !known.has(name))
      .map(([name, version]) => ({ name, version, dev })),
  );
}

/** The names of native packages end with their platform: `…-linux-arm64-musl`. */
function entryFor({ name, version, dev }: Missing): LockedPackage & Record<string, unknown> {
  const [, os, cpu, abi = ''] = new RegExp(`-(${systems})-([a-z0-9]+)(?:-(\\w+))?$`).exec(name) ?? [];
  if (os === undefined) throw new Error(`${name} is missing and does not look like a native package: run npm install`);
  const libc = os === 'linux' ? [abi.includes('musl') ? 'musl' : 'glibc'] : undefined;
  return { version, cpu: [cpu], ...(dev && { dev }), ...(libc && { libc }), optional: true, os: [os] };
}

function complete(lock: Lock): { readonly added: readonly string[]; readonly lock: Lock } {
  const added = missingFrom(lock.packages).map(
    (missing) => [`node_modules/${missing.name}`, entryFor(missing)] as const,
  );
  const all = Object.entries({ ...lock.packages, ...Object.fromEntries(added) });
  // The entry of the project itself has an empty name, so it comes first.
  const packages = Object.fromEntries(all.sort(([a], [b]) => a.localeCompare(b, 'en')));
  return { added: added.map(([place]) => place), lock: { ...lock, packages } };
}

for (const name of lockFiles) {
  const path = resolve(__dirname, '..', name);
  const { added, lock } = complete(JSON.parse(readFileSync(path, 'utf8')) as Lock);
  if (added.length === 0) continue;
  if (process.argv.includes('--check')) {
    process.stderr.write(`Not in ${name}: ${added.join(', ')}. Add them with: npm run complete-lock\n`);
    process.exitCode = 1;
  } else {
    writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
    process.stderr.write(`Added ${added.length} packages to ${name}.\n`);
  }
}

// Completes package-lock.json after `npm install` from a registry that has only some platforms' packages: npm leaves out what
// it could not see, and `npm ci` then refuses the lock file on every machine. What is added has no checksum; only machines of
// those platforms ever fetch it.
const { readFileSync, writeFileSync } = require('node:fs');
const { resolve } = require('node:path');

const path = resolve(__dirname, '..', 'package-lock.json');
const systems = 'android|darwin|freebsd|linux|openharmony|win32';

/** Packages that another one wants where it can have them, and that the lock file doesn't know. */
function missingFrom(packages) {
  const known = new Set(Object.keys(packages).map((place) => place.replace(/^.*node_modules\//, '')));
  return Object.values(packages).flatMap(({ optionalDependencies = {}, dev }) =>
    Object.entries(optionalDependencies)
      .filter(([name]) => !known.has(name))
      .map(([name, version]) => ({ name, version, dev })),
  );
}

/** Native packages say in their names what they are for: `…-linux-arm64-musl`. */
function entryFor({ name, version, dev }) {
  const [, os, cpu, abi = ''] = new RegExp(`-(${systems})-([a-z0-9]+)(?:-(\\w+))?$`).exec(name) ?? [];
  if (os === undefined) throw new Error(`${name} is missing and does not look like a native package: run npm install`);
  const libc = os === 'linux' ? [abi.includes('musl') ? 'musl' : 'glibc'] : undefined;
  return { version, cpu: [cpu], ...(dev && { dev }), ...(libc && { libc }), optional: true, os: [os] };
}

function complete(lock) {
  const added = missingFrom(lock.packages).map((wanted) => [`node_modules/${wanted.name}`, entryFor(wanted)]);
  const all = Object.entries({ ...lock.packages, ...Object.fromEntries(added) });
  const { '': itself, ...packages } = Object.fromEntries(all.sort(([a], [b]) => a.localeCompare(b, 'en')));
  return { added: added.map(([place]) => place), lock: { ...lock, packages: { '': itself, ...packages } } };
}

const { added, lock } = complete(JSON.parse(readFileSync(path, 'utf8')));
if (process.argv.includes('--check') && added.length > 0) {
  process.stderr.write(`Not in package-lock.json: ${added.join(', ')}. Add them with: node scripts/complete-lock.js\n`);
  process.exitCode = 1;
} else if (added.length > 0) {
  writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
  process.stderr.write(`Added ${added.length} packages.\n`);
}

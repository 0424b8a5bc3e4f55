import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '..', '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

interface Locked {
  readonly license?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly optional?: boolean;
}

/** Licences that allow use in any program, with nothing to publish in return. */
const allowed = ['MIT', 'Apache-2.0', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'BlueOak-1.0.0', 'Unlicense'];

/** Packages whose licence is another one, or is not stated where npm looks, and why they may be used. */
const explained: Readonly<Record<string, string>> = {
  'caniuse-lite': 'CC-BY-4.0: data about browsers, used by the bundler of workflows and not passed on',
  unionfs: 'Unlicense, in a file of its own; used by the bundler of workflows',
};

/** Packages that only the benchmark of other systems runs. */
const measuredOnly: Readonly<Record<string, string>> = Object.fromEntries(
  ['', '-darwin-arm64', '-darwin-x64', '-linux-arm64', '-linux-x64'].map((platform) => [
    `@restatedev/restate-server${platform}`,
    'Business Source License: may be run, not offered as a service',
  ]),
);

/** Whether an SPDX expression can be satisfied with what is allowed. */
function isAllowed(expression: string): boolean {
  const text = expression.replace(/[()]/g, '').trim();
  const every = (all: readonly string[]): boolean => all.every((part) => allowed.includes(part.trim()));
  return text.split(' OR ').some((choice) => every(choice.split(' AND ')));
}

type Installed = readonly (readonly [place: string, locked: Locked])[];

const nameOf = (place: string): string => place.replace(/^.*node_modules\//, '');

function installedBy(lockFile: string): Installed {
  const { packages } = JSON.parse(read(lockFile)) as { readonly packages: Readonly<Record<string, Locked>> };
  return Object.entries(packages).filter(([place, { dev }]) => place !== '' && dev !== true);
}

function licenceProblems(installed: Installed, exceptions: Readonly<Record<string, string>>): string[] {
  /** Native packages of other platforms, which the lock file lists without details, have the licence of their siblings. */
  const siblings = (name: string): readonly string[] =>
    installed.flatMap(([place, { license }]) =>
      license !== undefined && nameOf(place).split('-')[0] === name.split('-')[0] ? [license] : [],
    );
  return installed.flatMap(([place, { license, optional }]) => {
    const name = nameOf(place);
    const known = license === undefined && optional === true ? siblings(name) : [license ?? 'none'];
    return (known.length > 0 && known.every(isAllowed)) || name in exceptions ? [] : [`${name}: ${license ?? 'none'}`];
  });
}

describe('docs/decisions/dependencies.md', () => {
  test('names every package of the other systems that are measured', () => {
    const { dependencies } = JSON.parse(read('bench/peers/package.json')) as Record<string, Record<string, string>>;
    const text = read('docs/decisions/dependencies.md').split('## Beside others')[1] ?? '';
    expect(Object.keys(dependencies ?? {}).filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
  });

  test('has a row for every package, and none for a package that is not used', () => {
    const { dependencies, peerDependencies, devDependencies } = JSON.parse(read('package.json')) as Record<
      string,
      Record<string, string>
    >;
    const used = new Set(Object.keys({ ...dependencies, ...peerDependencies, ...devDependencies }));
    const rows = read('docs/decisions/dependencies.md')
      .split('\n')
      .filter((line) => line.startsWith('| `'));
    const named = new Set(
      rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name)),
    );
    expect([...used].filter((name) => !named.has(name))).toEqual([]);
    expect([...named].filter((name) => !used.has(name ?? ''))).toEqual([]);
  });
});

describe('licences', () => {
  test('every package that users install has a licence that allows it', () => {
    expect(licenceProblems(installedBy('package-lock.json'), explained)).toEqual([]);
  });

  test('every package of the other systems has a licence that allows to measure it', () => {
    expect(licenceProblems(installedBy('bench/peers/package-lock.json'), { ...explained, ...measuredOnly })).toEqual(
      [],
    );
  });

  test('an explanation is for a package that is installed', () => {
    const unknown = (lockFile: string, names: object): string[] => {
      const installed = new Set(installedBy(lockFile).map(([place]) => nameOf(place)));
      return Object.keys(names).filter((name) => !installed.has(name));
    };
    expect(unknown('package-lock.json', explained)).toEqual([]);
    expect(unknown('bench/peers/package-lock.json', measuredOnly)).toEqual([]);
  });

  test('a licence with conditions is noticed', () => {
    expect(isAllowed('GPL-3.0-only')).toBe(false);
    expect(isAllowed('MIT AND GPL-3.0-only')).toBe(false);
    expect(isAllowed('(MIT OR GPL-3.0-or-later)')).toBe(true);
    expect(isAllowed('none')).toBe(false);
  });
});

test('the bill of materials names every package that users install, and none for development', () => {
  const printed = execFileSync('npm', ['run', '-s', 'sbom'], { cwd: root, encoding: 'utf8', stdio: 'pipe' });
  const { metadata, components } = JSON.parse(printed) as {
    readonly metadata: { readonly component: { readonly name: string } };
    readonly components: readonly { readonly name: string }[];
  };
  const named = new Set(components.map(({ name }) => name));
  const installed = new Set(installedBy('package-lock.json').map(([place]) => nameOf(place)));
  expect(metadata.component.name).toBe('baton-agents');
  expect([...installed].filter((name) => !named.has(name))).toEqual([]);
  expect([...named].filter((name) => !installed.has(name))).toEqual([]);
  expect(named).toContain('@temporalio/client');
});

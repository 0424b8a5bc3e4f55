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

/** Whether an SPDX expression can be satisfied with what is allowed. */
function isAllowed(expression: string): boolean {
  const text = expression.replace(/[()]/g, '').trim();
  const every = (all: readonly string[]): boolean => all.every((part) => allowed.includes(part.trim()));
  return text.split(' OR ').some((choice) => every(choice.split(' AND ')));
}

describe('docs/decisions/dependencies.md', () => {
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
  const { packages } = JSON.parse(read('package-lock.json')) as { readonly packages: Readonly<Record<string, Locked>> };
  const nameOf = (place: string): string => place.replace(/^.*node_modules\//, '');
  const installed = Object.entries(packages).filter(([place, { dev }]) => place !== '' && dev !== true);
  /** Native packages of other platforms, which the lock file lists without details, have the licence of their siblings. */
  const siblings = (name: string): readonly string[] =>
    installed.flatMap(([place, { license }]) =>
      license !== undefined && nameOf(place).split('-')[0] === name.split('-')[0] ? [license] : [],
    );

  test('every package that users install has a licence that allows it', () => {
    const problems = installed.flatMap(([place, { license, optional }]) => {
      const name = nameOf(place);
      const known = license === undefined && optional === true ? siblings(name) : [license ?? 'none'];
      return (known.length > 0 && known.every(isAllowed)) || name in explained ? [] : [`${name}: ${license ?? 'none'}`];
    });
    expect(problems).toEqual([]);
  });

  test('an explanation is for a package that is installed', () => {
    const names = new Set(installed.map(([place]) => nameOf(place)));
    expect(Object.keys(explained).filter((name) => !names.has(name))).toEqual([]);
  });

  test('a licence with conditions is noticed', () => {
    expect(isAllowed('GPL-3.0-only')).toBe(false);
    expect(isAllowed('MIT AND GPL-3.0-only')).toBe(false);
    expect(isAllowed('(MIT OR GPL-3.0-or-later)')).toBe(true);
    expect(isAllowed('none')).toBe(false);
  });
});

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { testNames } from '../../scripts/test-names';
import { citingPages, isNamed, readableTitle, readCitingPage } from '../support/citing-pages';

const root = join(__dirname, '..', '..');

test('docs/specs.md has the requirements of all five documents', () => {
  expect(readCitingPage('docs/specs.md').length).toBeGreaterThan(100);
});

describe.each(citingPages)('%s', (page) => {
  const lines = readCitingPage(page);

  test('names a test for every requirement', () => {
    expect(lines.filter(({ tests }) => tests.length === 0).map(({ requirement }) => requirement)).toEqual([]);
  });

  test('names only tests that exist', () => {
    const cited = lines.flatMap(({ tests }) => tests);
    const unknown = cited.filter(({ file, title }) => {
      const path = join(root, file);
      return !existsSync(path) || !testNames(path).some((name) => readableTitle(name).endsWith(title));
    });
    expect(unknown).toEqual([]);
  });
});

test('finds a test by its title, also where the title has placeholders', () => {
  expect(isNamed('dispatch_subagents refuses null with field and remedy', 'refuses … with field and remedy')).toBe(
    true,
  );
  expect(isNamed('dispatch_subagents refuses null', 'refuses … with field and remedy')).toBe(false);
  expect(isNamed('a page prints a line', 'line')).toBe(true);
  expect(isNamed('a page prints a line', 'ine')).toBe(false);
});

// Runs tests: `npm test` all of them, `npm run test:fast` those that need no server. With words, only matching tests run:
// `npm test -- handoff budget`. Words are compared with the paths of test files first, then with the names of tests.
// Together with options other than --json and --outputFile=<file>, all arguments go to Jest unchanged.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { tiers } from '../test/support/tiers';
import { testNames } from './test-names';

interface TestFile {
  readonly path: string;
  readonly tier: string;
}

const fastNeeds: readonly string[] = ['nothing', 'build'];
const root = resolve(__dirname, '..');

function filesOf(tier: string): TestFile[] {
  return (tiers[tier]?.folders ?? []).flatMap((folder) =>
    readdirSync(join(root, 'test', folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.ts'))
      .map((name) => ({ tier, path: join('test', folder, name) })),
  );
}

interface Selection {
  readonly files: readonly TestFile[];
  /** Matches the names of the tests to run; undefined for all tests of the files. */
  readonly pattern?: string;
}

/** The tests that contain all words in their path or in their name. */
function select(files: readonly TestFile[], words: readonly string[]): Selection {
  const hasAll = (text: string): boolean => words.every((word) => text.toLowerCase().includes(word.toLowerCase()));
  const byPath = files.filter(({ path }) => hasAll(path));
  if (byPath.length > 0) return { files: byPath };
  const byName = files.filter(({ path }) => testNames(join(root, path)).some(hasAll));
  // Lookaheads, because the words may occur in any order.
  const pattern = words.map((word) => `(?=.*${word.replace(/[^\w\s]/g, '\\$&')})`).join('');
  return { files: byName, pattern };
}

/** Runs Node.js on these arguments and returns its exit code. */
function node(...args: readonly string[]): number {
  return spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1;
}

/**
 * Options with which Node.js optimizes code later than usual: most code of a test runs too briefly for that to pay. Only
 * line 20 has this option. Later lines refuse to start with it, and have a compiler that costs less.
 */
const optimizingLater = process.version.startsWith('v20.') ? ['--interrupt-budget=1000000'] : [];

function run(args: readonly string[], names: readonly string[]): number {
  const needsBuild = names.some((name) => ['build', 'server'].includes(tiers[name]?.needs ?? ''));
  const built = needsBuild ? node('-r', './scripts/typescript-hook.js', 'scripts/build.ts') : 0;
  return built || node(...optimizingLater, 'node_modules/jest/bin/jest.js', ...args);
}

function main(isFast: boolean, given: readonly string[]): number {
  const names = Object.keys(tiers).filter((name) => !isFast || fastNeeds.includes(tiers[name]?.needs ?? ''));
  const options = given.filter((argument) => argument.startsWith('-'));
  const words = given.filter((argument) => !argument.startsWith('-'));
  const isForJest = options.some((option) => option !== '--json' && !option.startsWith('--outputFile='));
  if (words.length === 0 || isForJest) return run([...given, '--selectProjects', ...names], names);
  const { files, pattern } = select(names.flatMap(filesOf), words);
  if (files.length === 0) {
    const what = words.map((word) => `"${word}"`).join(' and ');
    process.stderr.write(
      `No test has ${what} in its name or in the path of its file. All test files: npx jest --listTests\n`,
    );
    return 1;
  }
  const byName = pattern === undefined ? [] : [`--testNamePattern=${pattern}`];
  const paths = files.map(({ path }) => path);
  return run([...options, ...byName, '--runTestsByPath', ...paths], [...new Set(files.map(({ tier }) => tier))]);
}

const [first, ...others] = process.argv.slice(2);
const isFast = first === '--fast';
process.exitCode = main(isFast, isFast || first === undefined ? others : [first, ...others]);

import type { Reporter } from '@jest/reporters';
import { relative, join } from 'node:path';
import { citingPages, isNamed, readCitingPage } from './citing-pages';

type Results = Parameters<NonNullable<Reporter['onRunComplete']>>[1];

const root = join(__dirname, '..', '..');

/**
 * Fails the run if a test that docs/specs.md or docs/security.md cites was not among those that ran and passed, although its
 * file was run. So a requirement can't be shown by a test that was renamed, skipped or removed. Only what needs a sandbox
 * may be skipped where there is none; then it is listed as skipped.
 */
export default class CitedTestsReporter implements Reporter {
  private missing: readonly string[] = [];

  constructor(private readonly config: { readonly testNamePattern?: string }) {}

  onRunComplete(_contexts: unknown, { testResults }: Results): void {
    // A name pattern leaves tests out on purpose.
    if (this.config.testNamePattern) return;
    const ran = new Map(
      testResults.map(({ testFilePath, testResults: tests }) => [relative(root, testFilePath), tests] as const),
    );
    const isMissing = (page: string, file: string, title: string): boolean => {
      const tests = ran.get(file);
      if (tests === undefined) return false;
      if (page === 'docs/security.md' && tests.some(({ status }) => status === 'pending')) return false;
      return !tests.some(({ status, fullName }) => status === 'passed' && isNamed(fullName, title));
    };
    this.missing = citingPages.flatMap((page) =>
      readCitingPage(page)
        .flatMap(({ tests }) => tests)
        .filter(({ file, title }) => isMissing(page, file, title))
        .map(({ place, file, title }) => `  ${place}: ${file}: ${title}\n`),
    );
    if (this.missing.length > 0)
      process.stderr.write(`\nCited in docs, but not run and passed:\n${this.missing.join('')}`);
  }

  getLastError(): Error | undefined {
    return this.missing.length === 0 ? undefined : new Error('docs cite tests that did not run and pass');
  }
}

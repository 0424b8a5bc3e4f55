import type { Reporter } from '@jest/reporters';
import { relative, join } from 'node:path';
import { isNamed, readSpecsPage } from './specs-page';

type Results = Parameters<NonNullable<Reporter['onRunComplete']>>[1];

const root = join(__dirname, '..', '..');

/**
 * Fails the run if a test that docs/specs.md cites was not among those that ran and passed, although its file was run.
 * So a requirement can't be shown by a test that was renamed, skipped or removed.
 */
export default class SpecsReporter implements Reporter {
  private missing: readonly string[] = [];

  constructor(private readonly config: { readonly testNamePattern?: string }) {}

  onRunComplete(_contexts: unknown, { testResults }: Results): void {
    // A name pattern leaves tests out on purpose.
    if (this.config.testNamePattern) return;
    const passed = new Map(
      testResults.map(({ testFilePath, testResults: tests }) => [
        relative(root, testFilePath),
        tests.filter(({ status }) => status === 'passed').map(({ fullName }) => fullName),
      ]),
    );
    this.missing = readSpecsPage()
      .flatMap(({ tests }) => tests)
      .filter(({ file, title }) => passed.get(file)?.some((name) => isNamed(name, title)) === false)
      .map(({ line, file, title }) => `  docs/specs.md:${line}: ${file}: ${title}\n`);
    if (this.missing.length > 0)
      process.stderr.write(`\nCited in docs/specs.md, but not run and passed:\n${this.missing.join('')}`);
  }

  getLastError(): Error | undefined {
    return this.missing.length === 0 ? undefined : new Error('docs/specs.md cites tests that did not run and pass');
  }
}

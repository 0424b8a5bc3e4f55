import type { Reporter } from '@jest/reporters';

type Results = Parameters<NonNullable<Reporter['onRunComplete']>>[1];

/** Lists the tests that were skipped. Their names say why. */
export default class SkippedReporter implements Reporter {
  constructor(private readonly config: { readonly testNamePattern?: string }) {}

  onRunComplete(_contexts: unknown, { testResults }: Results): void {
    // Jest also calls tests skipped that a name pattern leaves out.
    if (this.config.testNamePattern) return;
    const skipped = testResults.flatMap(({ testResults: tests }) =>
      tests.filter(({ status }) => status === 'pending').map(({ fullName }) => `  ${fullName}\n`),
    );
    if (skipped.length > 0) process.stderr.write(`\nSkipped:\n${skipped.join('')}`);
  }
}

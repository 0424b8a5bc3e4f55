import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A test that docs/specs.md cites for a requirement. */
interface CitedTest {
  readonly line: number;
  /** Path from the root of the project. */
  readonly file: string;
  readonly title: string;
}

/** A line of docs/specs.md: a requirement, and the tests that show it. */
export interface SpecifiedLine {
  readonly line: number;
  readonly requirement: string;
  readonly tests: readonly CitedTest[];
}

const root = join(__dirname, '..', '..');
const citation = /\[((?:[^[\]]|\[[^[\]]*\])+)\]\(\.\.\/(test\/[^)]+\.test\.ts)\)/g;

/** Reads the requirements in docs/specs.md. Each is one item of a list. */
export function readSpecsPage(page = readFileSync(join(root, 'docs', 'specs.md'), 'utf8')): SpecifiedLine[] {
  return page.split('\n').flatMap((text, index) => {
    if (!text.startsWith('- ')) return [];
    const line = index + 1;
    const tests = [...text.matchAll(citation)].map(([, title = '', file = '']) => ({ line, file, title }));
    return [{ line, requirement: text.slice(2).split(': [')[0] ?? '', tests }];
  });
}

/**
 * Whether the full name of a test, with the names of the blocks around it, is that of a cited test. In sources, titles
 * may have placeholders such as `%s` in place of any text.
 */
export function isNamed(fullName: string, title: string): boolean {
  const parts = title.split(/%[sjidp#]|\$\{[^}]*\}|\$\w+/).map((part) => part.replace(/[^\w\s]/g, '\\$&'));
  return new RegExp(`(?:^| )${parts.join('[^]*')}$`).test(fullName);
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Pages each of whose lines names the tests that show it. */
export const citingPages = ['docs/specs.md', 'docs/security.md'] as const;

/** A test that a page cites for a requirement. */
interface CitedTest {
  /** Where it is cited: page and line. */
  readonly place: string;
  /** Path from the root of the project. */
  readonly file: string;
  readonly title: string;
}

/** A line of such a page: a requirement, and the tests that show it. */
export interface SpecifiedLine {
  readonly requirement: string;
  readonly tests: readonly CitedTest[];
}

const root = join(__dirname, '..', '..');
const citation = /\[((?:[^[\]]|\[[^[\]]*\])+)\]\(\.\.\/(test\/[^)]+\.test\.ts)\)/g;

/** Reads the requirements of a page. Each is one item of a list. */
export function readCitingPage(name: (typeof citingPages)[number]): SpecifiedLine[] {
  const page = readFileSync(join(root, name), 'utf8');
  return page.split('\n').flatMap((text, index) => {
    if (!text.startsWith('- ')) return [];
    const place = `${name}:${index + 1}`;
    const tests = [...text.matchAll(citation)].map(([, title = '', file = '']) => ({ place, file, title }));
    return [{ requirement: text.slice(2).split(': [')[0] ?? '', tests }];
  });
}

/** A title as pages show it: with `…` for placeholders such as `%s`. */
export function readableTitle(title: string): string {
  return title.replace(/%[sjidp#]|\$\{[^}]*\}|\$\w+/g, '…');
}

/** Whether the full name of a test, with the names of the blocks around it, is that of a cited test. `…` is any text. */
export function isNamed(fullName: string, title: string): boolean {
  const parts = title.split('…').map((part) => part.replace(/[^\w\s]/g, '\\$&'));
  return new RegExp(`(?:^| )${parts.join('[^]*')}$`).test(fullName);
}

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../support/paths';
import { sourcesIn } from './sources';

const docs = join(projectRoot, 'docs');
const pages = readdirSync(docs).filter((name) => name.endsWith('.md'));
const tests = sourcesIn(['test'])
  .map(({ text }) => text)
  .join('\n');

/** The help of the scenarios, which test/cli/service/scenarios.test.ts compares as a whole. */
const comparedElsewhere = 'In one terminal, in the folder of a project: baton dev --scripted';

describe('screens of the docs', () => {
  test('are named, so that a test compares them with what is printed', () => {
    const unnamed = pages.flatMap((page) => {
      const text = readFileSync(join(docs, page), 'utf8');
      const blocks = [...text.matchAll(/(<!-- screen: [\w-]+ -->\n\n)? *```(\w*)\n *([^\n]*)/g)];
      return blocks
        .filter(([, name, language = '', first = '']) => name === undefined && isScreen(language, first))
        .map(([, , , first = '']) => `${page}: ${first}`);
    });
    expect(unnamed).toEqual([]);
  });

  test('that are named are compared by a test', () => {
    const names = pages.flatMap((page) => {
      const text = readFileSync(join(docs, page), 'utf8');
      return [...text.matchAll(/<!-- screen: ([\w-]+) -->/g)].map(([, name = '']) => `'${page}', '${name}'`);
    });
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => !new RegExp(`(?:expectScreen|screenLines)\\(\\s*${name}`).test(tests))).toEqual([]);
  });
});

/** Whether a block shows what a program prints. Commands to type have another language, or print nothing. */
function isScreen(language: string, first: string): boolean {
  return (language === 'text' || first.startsWith('$ ')) && first !== comparedElsewhere && !isCommandOnly(first);
}

/** Two blocks of docs/observability.md start programs and show nothing that they print. */
function isCommandOnly(first: string): boolean {
  return /^\$ (docker run|BATON_TRACES_URL=)/.test(first);
}

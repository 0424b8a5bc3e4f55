import { mentionedPaths, outlineOf } from '../../../domain/skill/outline';

const paths = (text: string): string[] => mentionedPaths(text).map(({ path }) => path);
const surely = (text: string): string[] =>
  mentionedPaths(text)
    .filter(({ looksLikePath }) => looksLikePath)
    .map(({ path }) => path);

describe('files that a text mentions', () => {
  test.each([
    ['in a sentence', 'First change src/auth.ts.', 'src/auth.ts'],
    ['in backticks', 'In `app/[id]/page one.tsx` add', 'app/[id]/page one.tsx'],
    ['in a link', '[the file](docs/a.md)', 'docs/a.md'],
    ['with a line number', 'see src/a.ts:10-20,', 'src/a.ts'],
    ['with an anchor', 'see src/a.ts#L3', 'src/a.ts'],
    ['with a leading ./', 'see ./src/a.ts', 'src/a.ts'],
    ['bold', '**src/a.ts**:', 'src/a.ts'],
    ['without a suffix', 'the Makefile', 'Makefile'],
    ['in a planner’s answer', '<file>src/a.ts (new)</file>', 'src/a.ts'],
  ])('are found %s', (_, text, path) => {
    expect(paths(text)).toContain(path);
  });

  test('are never outside the workspace', () => {
    expect(paths('../secret.txt /etc/passwd C:/x.txt a/../../b.txt')).toEqual([]);
  });

  test('are reported as missing only if they are certainly files', () => {
    expect(surely('and/or src/new.ts, https://example.com/a.html, v1.2, n/a')).toEqual(['src/new.ts']);
  });
});

describe('an outline', () => {
  const many = Array.from({ length: 50 }, (_, index) => `src/deep/f${index}.ts`);

  test('collapses the deepest folders when it would be too long', () => {
    expect(outlineOf(['README.md', ...many], 10)).toBe('src/\n  deep/ (50 files)\nREADME.md');
  });

  test('says what it omits when even that is too long', () => {
    expect(outlineOf(['a', 'b', 'c'], 2)).toBe('a\nb\n… and 1 more entries');
  });
});

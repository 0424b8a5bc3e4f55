import { describeExpected, expectedOutputs } from '../../../domain/delegation';

describe('expected_artifacts', () => {
  test.each([
    ['report.md', 'report.md'],
    ['./report.md', 'report.md'],
    ['src/auth.ts', 'src/auth.ts'],
    ['./Makefile', 'Makefile'],
    ['bin/baton', 'bin/baton'],
    ['.gitignore', '.gitignore'],
    ['data.tar.gz', 'data.tar.gz'],
  ])('%s names an artifact or a file, and is checked as %s', (item, name) => {
    expect(expectedOutputs([item])).toEqual({ names: [name], descriptions: [] });
  });

  test.each([
    'Table of the latest KPIs',
    'summary',
    'A list of risks in docs/risks.md',
    '/metrics answers with 200',
    'release notes.md',
    'https://example.com/page.html',
    'Done.',
    '20%',
  ])('"%s" is a description, and is not checked', (item) => {
    expect(expectedOutputs([item])).toEqual({ names: [], descriptions: [item] });
  });

  test.each([
    ['/workspace/report.md', 'relative to the workspace'],
    ['../report.md', '".." is not allowed'],
    ['docs/../report.md', '".." is not allowed'],
    ['..', '".." is not allowed'],
    ['.', '"." is not allowed'],
    ['src/', 'empty segment'],
    ['src//auth.ts', 'empty segment'],
    ['src\\auth.ts', 'use / as the separator'],
    ['C:/report.md', 'relative to the workspace'],
  ])('%s could never be delivered under that name, and is refused with a remedy', (item, reason) => {
    const check = (): unknown => expectedOutputs(['fine.md', item]);
    expect(check).toThrow(/^expected_artifacts\[1\]: /);
    expect(check).toThrow(reason);
    expect(check).toThrow('Use a name such as report.md');
  });

  test('an item that occurs twice, however it is spelled, is expected once', () => {
    expect(expectedOutputs(['a.md', './a.md', 'A plan', 'A plan'])).toEqual({
      names: ['a.md'],
      descriptions: ['A plan'],
    });
  });

  test('a description of several lines is given to the subagent in one', () => {
    expect(describeExpected(expectedOutputs(['A table\nof KPIs']))).toEqual(['A table of KPIs']);
  });

  test('what the subagent is told agrees with how it is checked', () => {
    const [named, described] = describeExpected(expectedOutputs(['./a.md', 'A table of KPIs']));
    expect(named).toBe('The artifact `a.md`, or a file with this path. Exactly this name is checked.');
    expect(described).toBe('A table of KPIs');
  });
});

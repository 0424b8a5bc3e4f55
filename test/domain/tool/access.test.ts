import { globSchema, matchesGlob } from '../../../domain/kernel';
import { checkCall, describeRestriction, narrowAccess, permittedTools } from '../../../domain/tool';
import { tool } from '../delegation/samples';

const why = { reason: 'Only the documentation is ours.', alternative: 'Describe the change.' };

describe('a glob', () => {
  test.each([
    ['docs/*', 'docs/a.md', true],
    ['docs/*', 'docs/deep/a.md', false],
    ['docs/**', 'docs/deep/a.md', true],
    ['**', '', true],
    ['*.md', 'README.md', true],
    ['*.md', 'README.mdx', false],
    ['a*b*c', 'aXbYc', true],
    ['a.c', 'abc', false],
    ['**/*.ts', 'src/deep/a.ts', true],
    ['delegation-*/tooling-context', 'delegation-12/tooling-context', true],
  ])('%s matches %s: %s', (glob, text, expected) => {
    expect(globSchema.parse(glob)).toBe(glob);
    expect(matchesGlob(glob, text)).toBe(expected);
  });

  test('is matched quickly, whatever the text is', () => {
    expect(matchesGlob('**a'.repeat(60), 'a'.repeat(4_000) + 'b')).toBe(false);
    expect(matchesGlob('**', 'x'.repeat(5_000))).toBe(false);
  });
});

describe('the arguments of a restricted tool', () => {
  const violation = (rules: Parameters<typeof checkCall>[0][number], input: unknown): string | undefined =>
    checkCall([rules], JSON.stringify(input)).violation?.message;

  test.each([
    ['a path elsewhere', { path: { glob: ['docs/**'] } }, { path: 'src/a.ts' }, '`path` must match "docs/**".'],
    ['no path at all', { path: { glob: ['docs/**'] } }, {}, '`path` must be given, and match "docs/**".'],
    ['a path of another type', { path: { glob: ['**'] } }, { path: 7 }, '`path` must match "**".'],
    [
      'one entry of a list',
      { steps: { maxLength: 3 } },
      { steps: ['a', 'long'] },
      '`steps` must have at most 3 characters.',
    ],
    ['another value', { skill: { enum: ['a', 'b'] } }, { skill: 'c' }, '`skill` must be "a" or "b".'],
    [
      'a number that is too large',
      { n: { minimum: 1, maximum: 5 } },
      { n: 6 },
      '`n` must be at least 1 and be at most 5.',
    ],
    ['an input that is a list', { n: { minimum: 1 } }, ['x'], '`n` must be given, and be at least 1.'],
  ])('are refused for %s', (_, rules, input, message) => {
    expect(violation(rules, input)).toBe(message);
  });

  test('are accepted when every rule holds', () => {
    expect(
      violation({ path: { glob: ['docs/**', 'README.md'] } }, { path: 'README.md', content: 'x' }),
    ).toBeUndefined();
    expect(violation({ flag: { enum: [true, null] } }, { flag: null })).toBeUndefined();
  });
});

describe('access to tools', () => {
  test('only shrinks from parent to child', () => {
    const parent = narrowAccess(undefined, {
      grep: { access: 'restricted', ...why, maxCalls: 3 },
      write_file: { access: 'revoked', ...why },
    });
    const child = narrowAccess(parent, {
      grep: { access: 'restricted', ...why, maxCalls: 9 },
      write_file: { access: 'inherited' },
      read_file: { access: 'restricted', ...why, approval: true },
    });
    expect(child?.restricted['grep']).toHaveLength(2);
    expect(child?.revoked).toHaveProperty('write_file');
    expect(narrowAccess(child, { grep: { access: 'inherited' } })).toBe(child);
    expect(narrowAccess(undefined, {})).toBeUndefined();
  });

  test('is stated once in the description of a tool, however deep it is inherited', () => {
    const access = narrowAccess(undefined, { grep: { access: 'restricted', ...why, maxCalls: 1 } });
    const [given] = permittedTools([tool('grep')], access);
    expect(given?.description).toBe(
      'Does grep.\n\nRestricted: at most 1 call by you and your delegations together. ' +
        'Reason: Only the documentation is ours. Alternative: Describe the change.',
    );
    const again = [given!];
    expect(permittedTools(again, access)).toBe(again);
  });

  test('is described in words', () => {
    const rules = { path: { glob: ['docs/**'] } };
    expect(describeRestriction({ ...why, arguments: rules, maxCalls: 2, approval: true })).toBe(
      '`path` must match "docs/**"; at most 2 calls by you and your delegations together; an operator has to approve each call',
    );
  });
});

import { plantProject } from './planted-project';

const lines = (count: number, line: string): string => `${line}\n`.repeat(count);

/** Code that a rule must report: the file, its code and the rule. */
const planted: readonly [file: string, code: string, rule: string][] = [
  ['store/long-file.ts', lines(301, '// line'), 'max-lines'],
  ['test/long-test.ts', lines(301, '// line'), 'max-lines'],
  ['store/long-function.ts', `export function long(): void {\n${lines(39, '  void 0;')}}\n`, 'max-lines-per-function'],
  ['store/any-type.ts', 'export const value: any = 1;\n', '@typescript-eslint/no-explicit-any'],
  [
    'store/floating.ts',
    'export function start(): void {\n  Promise.resolve();\n}\n',
    '@typescript-eslint/no-floating-promises',
  ],
  [
    'store/missing-case.ts',
    "export function name(kind: 'a' | 'b'): void {\n  switch (kind) {\n    case 'a':\n  }\n}\n",
    '@typescript-eslint/switch-exhaustiveness-check',
  ],
  [
    'store/no-return-type.ts',
    'export function one() {\n  return 1;\n}\n',
    '@typescript-eslint/explicit-module-boundary-types',
  ],
  ['store/prints.ts', "console.error('printed');\n", 'no-console'],
  ['domain/kernel/reads-files.ts', "export { readFileSync } from 'node:fs';\n", 'no-restricted-imports'],
  ['domain/kernel/reads-clock.ts', 'export const now = (): number => Date.now();\n', 'no-restricted-globals'],
  [
    'workflows/reads-environment.ts',
    "export const home = (): unknown => process.env['HOME'];\n",
    'no-restricted-globals',
  ],
  ['workflows/random.ts', 'export const random = (): number => Math.random();\n', 'no-restricted-properties'],
  ['workflows/state.ts', 'let count = 0;\nexport const next = (): number => count++;\n', 'no-restricted-syntax'],
  ['workflows/plain-error.ts', "export function fail(): never {\n  throw new Error('x');\n}\n", 'no-restricted-syntax'],
  ['workflows/own-error.ts', 'export class Mine extends Error {}\n', 'no-restricted-syntax'],
  [
    'workflows/unchecked-handler.ts',
    "import { setHandler } from '@temporalio/workflow';\nexport const set = setHandler;\n",
    'no-restricted-imports',
  ],
];

/** Code that no rule may report. */
const allowed: Readonly<Record<string, string>> = {
  'store/file-at-limit.ts': lines(300, '// line'),
  'store/function-at-limit.ts': `export function long(): void {\n  // comment\n\n${lines(38, '  void 0;')}}\n`,
  'test/long-function.ts': `export function long(): void {\n${lines(100, '  void 0;')}}\n`,
  'workflows/handlers.ts': "import { setHandler } from '@temporalio/workflow';\nexport const set = setHandler;\n",
  'cli/main.ts': "console.error('printed');\n",
  'activities/reads-clock.ts': 'export const now = (): number => Date.now();\n',
};

interface FileReport {
  readonly filePath: string;
  readonly messages: readonly { readonly ruleId: string | null; readonly message: string }[];
}

describe('lint rules', () => {
  let reports: readonly FileReport[] = [];
  const rulesFor = (file: string): unknown[] =>
    reports
      .filter(({ filePath }) => filePath.endsWith(`/${file}`))
      .flatMap(({ messages }) => messages.map(({ ruleId, message }) => ruleId ?? message));

  beforeAll(async () => {
    const files = Object.fromEntries(planted.map(([file, code]) => [file, code]));
    const project = await plantProject(['eslint.config.js', 'tsconfig.json'], { ...files, ...allowed });
    reports = (await project.run('eslint/bin/eslint.js', '--format', 'json', '.')) as FileReport[];
    await project.remove();
  });

  test.each(planted)('report %s', (file, _code, rule) => {
    expect(rulesFor(file)).toEqual([rule]);
  });

  test.each(Object.keys(allowed))('do not report %s', (file) => {
    expect(rulesFor(file)).toEqual([]);
  });
});

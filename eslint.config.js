const tseslint = require('typescript-eslint');

const nodeBuiltins = require('node:module').builtinModules.flatMap((name) => [name, `node:${name}`]);

module.exports = tseslint.config(
  { ignores: ['dist/', 'node_modules/', 'coverage/', '.baton/'] },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: __dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      'no-console': 'error',
      'max-lines': ['error', { max: 300, skipBlankLines: true }],
      'max-lines-per-function': ['error', { max: 40, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    // What runs in the sandbox, or may: nothing that reads a clock, a random number or the machine.
    files: ['domain/**/*.ts', 'workflows/**/*.ts'],
    rules: {
      'no-restricted-imports': ['error', { paths: nodeBuiltins }],
      'no-restricted-globals': [
        'error',
        'process',
        'Buffer',
        'fetch',
        'crypto',
        'structuredClone',
        'Intl',
        'Date',
        'WeakRef',
        'FinalizationRegistry',
      ],
      'no-restricted-properties': [
        'error',
        { object: 'Math', property: 'random', message: 'Not reproducible.' },
        { property: 'localeCompare', message: 'Depends on the host: compare with <.' },
        { property: 'toLocaleString', message: 'Depends on the host.' },
      ],
      'no-restricted-syntax': [
        'error',
        { selector: 'Program > VariableDeclaration[kind="let"]', message: 'No module-level state.' },
        {
          selector: 'ThrowStatement > NewExpression[callee.name="Error"]',
          message: 'Throw a DomainError or an ApplicationFailure: a plain Error retries the workflow task for ever.',
        },
      ],
    },
  },
  { files: ['client/main.ts', 'worker/main.ts', 'scripted-model/main.ts'], rules: { 'no-console': 'off' } },
  {
    files: ['test/**/*.ts', 'bench/**/*.ts'],
    rules: {
      'max-lines-per-function': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
);

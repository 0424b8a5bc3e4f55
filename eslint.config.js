const tseslint = require('typescript-eslint');

const nodeBuiltins = require('node:module').builtinModules.flatMap((name) => [name, `node:${name}`]);

const stillRight = [
  // Constants may see nothing but @temporalio/common, and the type is the same there.
  { from: 'package', package: '@temporalio/common', name: 'ActivityOptions' },
];

module.exports = tseslint.config(
  // Samples are what agents read; templates are files of other projects.
  {
    ignores: [
      'dist/',
      'node_modules/',
      'coverage/',
      '.baton/',
      'examples/sample-project/',
      'examples/*/sample/',
      'templates/',
    ],
  },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: __dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      // A name that begins with _ says that leaving it unused is meant: a field that is taken off an object, a first argument.
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // Ports are plain objects made by functions, and their methods are handed on as values; nothing in them has a `this`.
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/no-deprecated': ['error', { allow: stillRight }],
      'no-console': 'error',
      // Folders and the number of files have limits too, in test/architecture/sizes.test.ts.
      'max-lines': ['error', { max: 300 }],
      'max-lines-per-function': ['error', { max: 40, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    files: ['**/*.js'],
    extends: [tseslint.configs.recommended],
    languageOptions: { sourceType: 'commonjs' },
    rules: { '@typescript-eslint/no-require-imports': 'off' },
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
        {
          selector: 'ClassDeclaration[superClass.name="Error"]:not([abstract=true])',
          message: 'Extend DomainError: the boundary of a workflow gives it a failure type.',
        },
      ],
    },
  },
  {
    // A handler that is registered elsewhere would not be checked, and what it throws could fail the workflow task.
    files: ['workflows/**/*.ts'],
    ignores: ['workflows/handlers.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [
            ...nodeBuiltins,
            {
              name: '@temporalio/workflow',
              importNames: [
                'setHandler',
                'setDefaultSignalHandler',
                'setDefaultUpdateHandler',
                'setDefaultQueryHandler',
              ],
              message: 'Use handleSignal, handleUpdate and handleQuery of workflows/handlers.ts.',
            },
          ],
        },
      ],
    },
  },
  {
    // Not with their own settings, which find the package only where it is installed.
    files: ['examples/*/src/**/*.ts'],
    languageOptions: { parserOptions: { projectService: false, project: './tsconfig.json' } },
    rules: { 'no-console': 'off', '@typescript-eslint/explicit-module-boundary-types': 'off' },
  },
  {
    // The test runner awaits what `test` of node:test returns.
    files: ['examples/**/*.test.ts'],
    rules: {
      '@typescript-eslint/no-floating-promises': [
        'error',
        { allowForKnownSafeCalls: [{ from: 'package', package: 'node:test', name: 'test' }] },
      ],
    },
  },
  {
    // Their packages are installed only for the benchmark, so types are not known here.
    files: ['bench/peers/systems/**/*.ts'],
    extends: [tseslint.configs.disableTypeChecked],
  },
  { files: ['cli/main.ts', 'worker/main.ts', 'testing/scripted-model/main.ts'], rules: { 'no-console': 'off' } },
  {
    files: ['test/**/*.ts', 'bench/**/*.ts'],
    rules: {
      'max-lines-per-function': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
);

// One Jest project per tier, so that each can run alone: `npx jest --selectProjects domain`.
require('./scripts/typescript-hook.js');
const { tiers } = require('./test/support/tiers.ts');

const swc = (parser, more = {}) => ['@swc/jest', { jsc: { target: 'es2022', parser, ...more } }];

const common = {
  testEnvironment: '<rootDir>/test/support/jest/environment.ts',
  runtime: '<rootDir>/test/support/jest/runtime.js',
  transform: {
    '^.+\\.[jt]s$': swc({ syntax: 'typescript' }),
    '^.+\\.tsx$': swc(
      { syntax: 'typescript', tsx: true },
      { transform: { react: { runtime: 'automatic', importSource: 'preact' } } },
    ),
  },
  modulePathIgnorePatterns: ['<rootDir>/dist'],
  // Dynamic imports name the compiled file, which does not exist here.
  moduleNameMapper: {
    '^(\\./[a-z0-9]+/[a-z0-9-]+)\\.js$': '$1',
    '^(\\./explain)\\.js$': '$1',
    '^(\\.\\./(?:\\.\\./)?(?:client|store|temporal-config)/[a-z/-]+)\\.js$': '$1',
  },
};
const onServer = {
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  setupFiles: ['<rootDir>/test/support/quiet-temporal.ts'],
  setupFilesAfterEnv: ['<rootDir>/test/support/patience.ts'],
};

/** @type {import('jest').Config} */
module.exports = {
  // More than two cores can run: many tests wait for servers, timers and processes.
  maxWorkers: 4,
  testSequencer: '<rootDir>/test/support/longest-first.ts',
  reporters: [
    'default',
    '<rootDir>/test/support/skipped-reporter.ts',
    '<rootDir>/test/support/cited-tests-reporter.ts',
  ],
  testTimeout: 120_000,
  projects: Object.entries(tiers).map(([displayName, { folders, needs, alone }]) => ({
    ...common,
    displayName,
    testMatch: folders.map((folder) => `<rootDir>/test/${folder}/**/*.test.ts`),
    ...(needs === 'server' ? onServer : {}),
    // Jest finishes with one runner before it starts the next.
    ...(alone ? { runner: '<rootDir>/test/support/run-alone.ts' } : {}),
  })),
};

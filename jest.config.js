// One Jest project per tier, so that each can run alone: `npx jest --selectProjects domain`.
require('./scripts/typescript-hook.js');

const common = {
  testEnvironment: 'node',
  transform: { '^.+\\.[jt]s$': ['@swc/jest', { jsc: { target: 'es2022', parser: { syntax: 'typescript' } } }] },
  // Jest can't `require` ES modules, as Node.js can: packages that are nothing else are compiled.
  transformIgnorePatterns: ['/node_modules/(?!(@noble/hashes)/)'],
  modulePathIgnorePatterns: ['<rootDir>/dist'],
  // Imports at run time name the file that TypeScript makes; here it is not made.
  moduleNameMapper: { '^(\\./commands/.+)\\.js$': '$1' },
};
const tier = (displayName, folders, more = {}) => ({
  ...common,
  displayName,
  testMatch: folders.map((folder) => `<rootDir>/test/${folder}/**/*.test.ts`),
  ...more,
});
const onServer = {
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  setupFiles: ['<rootDir>/test/support/quiet-temporal.ts'],
  setupFilesAfterEnv: ['<rootDir>/test/support/patience.ts'],
};

/** @type {import('jest').Config} */
module.exports = {
  maxWorkers: 2,
  testSequencer: '<rootDir>/test/support/longest-first.ts',
  testTimeout: 120_000,
  projects: [
    tier('domain', ['domain', 'store', 'scripted-model']),
    tier('activities', ['activities', 'temporal-config']),
    tier('architecture', ['architecture']),
    tier('workflows', ['workflows', 'replay'], onServer),
    tier('e2e', ['e2e', 'client'], onServer),
    tier('chaos', ['chaos'], onServer),
    // Asserts how long something takes, so nothing else may run beside it: `npx jest --selectProjects timing`.
    tier('timing', ['timing'], onServer),
  ],
};

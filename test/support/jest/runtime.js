// Loads modules for tests in the realm of the process. Jest would create a realm for each test file and load all packages
// there again, which takes longer than many files need for their tests. Files of this project are still loaded anew for
// each test file, so no state of ours passes from one to the next.
// Packages load some of our files themselves, such as a worker its payload converter.
require('../../../scripts/typescript-hook.js');
const { createRequire, isBuiltin } = require('node:module');
const { compileFunction } = require('node:vm');
const { default: Runtime } = require('jest-runtime');

module.exports = class OneRealmRuntime extends Runtime {
  constructor(...args) {
    super(...args);
    const { executor } = this;
    executor.compile = (source, filename) => compileFunction(source, executor.injectedModuleParameters, { filename });
  }

  requireModule(from, name, options, isActual) {
    const isPackage = name !== undefined && !/^[./]/.test(name) && !isBuiltin(name);
    // Jest's own modules contain the state of a test file.
    if (isPackage && !options?.isInternalModule) return createRequire(from)(name);
    return super.requireModule(from, name, options, isActual);
  }
};

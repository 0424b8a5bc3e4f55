// Loads modules for tests in the realm of the process. Jest would create a realm for each test file and load all packages
// there again, which takes longer than many files need for their tests. Files of this project are still loaded anew for
// each test file, so no state of ours passes from one to the next. Only their compiled code is kept: it is a function that
// is called with a new module each time.
// Packages load some of our files themselves, such as a worker its payload converter.
require('../../../scripts/typescript-hook.js');
const { createRequire, isBuiltin } = require('node:module');
const { compileFunction } = require('node:vm');
const { default: Runtime } = require('jest-runtime');

/** Compiled files by path. On the process, because Jest may load this file more than once. */
const compiled = (process.batonCompiledFiles ??= new Map());

module.exports = class OneRealmRuntime extends Runtime {
  constructor(...args) {
    super(...args);
    const { executor } = this;
    executor.compile = (source, filename) => {
      const known = compiled.get(filename);
      if (known?.source === source) return known.run;
      const run = compileFunction(source, executor.injectedModuleParameters, { filename });
      compiled.set(filename, { source, run });
      return run;
    };
  }

  requireModule(from, name, options, isActual) {
    const isPackage = name !== undefined && !/^[./]/.test(name) && !isBuiltin(name);
    // Jest's own modules contain the state of a test file.
    if (isPackage && !options?.isInternalModule) return createRequire(from)(name);
    return super.requireModule(from, name, options, isActual);
  }
};

// Lets Node.js load TypeScript without a build: node -r ./scripts/typescript-hook.js scripts/build.ts
const { existsSync } = require('node:fs');
const Module = require('node:module');
const { dirname, resolve } = require('node:path');
const { transformFileSync } = require('@swc/core');

Module._extensions['.ts'] = (module, file) => {
  const { code } = transformFileSync(file, {
    jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
    module: { type: 'commonjs' },
    sourceMaps: 'inline',
    swcrc: false,
  });
  module._compile(code, file);
};

// A dynamic import names the compiled file: './x.js' is './x.ts' here.
const resolveFilename = Module._resolveFilename;
Module._resolveFilename = function (request, parent, ...rest) {
  const source = /^\.\.?\/.*\.js$/.test(request) && parent?.filename && request.replace(/js$/, 'ts');
  const isSource = source && existsSync(resolve(dirname(parent.filename), source));
  return resolveFilename.call(this, isSource ? source : request, parent, ...rest);
};

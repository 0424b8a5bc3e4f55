// Lets a child process of a test load the TypeScript sources, compiled in the same way as for the tests themselves.
const { readFileSync } = require('node:fs');
const { transformSync } = require('@swc/core');

require.extensions['.ts'] = (module, filename) => {
  const { code } = transformSync(readFileSync(filename, 'utf8'), {
    filename,
    jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
    module: { type: 'commonjs' },
    swcrc: false,
  });
  module._compile(code, filename);
};

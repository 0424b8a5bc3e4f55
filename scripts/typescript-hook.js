// Lets Node.js load TypeScript without a build: node -r ./scripts/typescript-hook.js scripts/build.ts
const { createHash } = require('node:crypto');
const { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const { dirname, join, resolve } = require('node:path');

const options = {
  jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
  module: { type: 'commonjs' },
  sourceMaps: 'inline',
  swcrc: false,
};

/** Compiled files by what they were compiled from. Tests start hundreds of processes that load the same files. */
const cache = join(__dirname, '..', 'node_modules', '.cache', 'typescript-hook');
const compiler = JSON.stringify([require('@swc/core/package.json').version, options]);

function compile(file) {
  const source = readFileSync(file, 'utf8');
  const name = createHash('sha256').update(compiler).update(file).update('\n').update(source).digest('hex');
  const compiled = join(cache, `${name}.js`);
  try {
    return readFileSync(compiled, 'utf8');
  } catch {
    const { code } = require('@swc/core').transformSync(source, { ...options, filename: file });
    keep(compiled, code);
    return code;
  }
}

/** Renamed when complete: another process must not read half a file. */
function keep(compiled, code) {
  try {
    mkdirSync(cache, { recursive: true });
    writeFileSync(`${compiled}.${process.pid}`, code);
    renameSync(`${compiled}.${process.pid}`, compiled);
  } catch {
    // The folder can't be written, or the disk is full. The file is compiled again the next time.
  }
}

Module._extensions['.ts'] = (module, file) => {
  module._compile(compile(file), file);
};

// A dynamic import names the compiled file: './x.js' is './x.ts' here.
const resolveFilename = Module._resolveFilename;
Module._resolveFilename = function (request, parent, ...rest) {
  const source = /^\.\.?\/.*\.js$/.test(request) && parent?.filename && request.replace(/js$/, 'ts');
  const isSource = source && existsSync(resolve(dirname(parent.filename), source));
  return resolveFilename.call(this, isSource ? source : request, parent, ...rest);
};

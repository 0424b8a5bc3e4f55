import { createHash } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import webpack, { type Configuration } from 'webpack';
import { compactCode } from './compact-code';

/**
 * Puts the commands of these files into one file, with the libraries that they use. Node.js would otherwise find, read
 * and compile about 600 files for such a command, which takes longer than the command itself. The last line is a hash of
 * the others.
 */
export async function bundleCommands(path: string, files: readonly string[]): Promise<void> {
  const compiler = webpack(configuration(`${path}.part`, files));
  await new Promise<void>((resolve, reject) => {
    compiler.run((error, stats) => {
      if (error) reject(error);
      else if (stats?.hasErrors() === true) reject(new Error(stats.toString({ all: false, errors: true })));
      else resolve();
    });
  });
  const code = await compactCode(readFileSync(`${path}.part`, 'utf8'));
  writeFileSync(`${path}.part`, `${code}\n// ${createHash('sha256').update(code).digest('hex')}`);
  renameSync(`${path}.part`, path);
}

const loadedWhenUsed: ReadonlySet<string> = new Set(['log-update', 'pg', '@aws-sdk/client-s3']);

function configuration(path: string, files: readonly string[]): Configuration {
  const dist = dirname(path);
  const program = join(dist, 'cli', 'program.js');
  return {
    mode: 'production',
    target: 'node20',
    context: dist,
    entry: join(dist, 'cli', 'main.js'),
    output: { path: dist, filename: basename(path), library: { type: 'commonjs2' } },
    // The code finds Baton's own files from the folder that it is in.
    node: { __dirname: false, __filename: false },
    module: { parser: { javascript: { dynamicImportMode: 'eager' } } },
    optimization: { minimize: false, moduleIds: 'named' },
    performance: false,
    externals: ({ request, contextInfo }, done) => {
      const isOtherCommand = contextInfo.issuer === program && /^\.\/\w+\//.test(request) && !files.includes(request);
      if (isOtherCommand) done(undefined, `commonjs ./cli${request.slice(1)}`);
      // Only a person at a terminal needs the first, and only some stores need the others.
      else if (loadedWhenUsed.has(request)) done(undefined, `commonjs ${request}`);
      else done();
    },
    // The SDK loads a project's own data converter by its path.
    ignoreWarnings: [/the request of a dependency is an expression/],
  };
}

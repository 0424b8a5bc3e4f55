import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { makeFolderSync } from '../temporal-config/node/make-folder';

/** Name of the file in the build's folder with the code of the commands that need only a client. */
export const bundleFile = 'client-commands.js';

/** Files whose commands need only a client and the store, each with the names of these commands. */
const bundled = [
  './agent/list.js list',
  './agent/show.js show',
  './agent/why.js why',
  './delegation/tree.js tree',
  './session/session.js session',
  './transcript/transcript.js transcript',
  './operator/decisions.js cancel pause resume steer skip abort',
  './operator/calls.js approve deny answer',
  './operator/retry.js retry',
  './operator/amend.js amend',
].map((line) => line.split(' '));

/** The files that are in the bundle. */
export const bundledFiles: readonly string[] = bundled.flatMap(([file = '']) => file);

/** Whether the bundle has the command. */
export function isBundled(command: string): boolean {
  return bundled.some(([, ...names]) => names.includes(command));
}

/**
 * Runs the bundle's code, and keeps what V8 compiled of it in the cache folder for the next command. Without a cache
 * that can be read and written, the code is compiled each time.
 */
export function runBundle(path: string, command: string, cacheDir: string): void {
  const code = readFileSync(path, 'utf8');
  const cache = new CodeCache(code, command, join(cacheDir, 'code'));
  const cachedData = cache.read();
  const source = `(function (exports, require, module, __filename, __dirname) {${code}\n})`;
  const script = new Script(source, { filename: path, ...(cachedData && { cachedData }) });
  if (cachedData === undefined || script.cachedDataRejected === true) {
    // At the end, because by then V8 has compiled the functions that the command calls.
    process.once('exit', () => {
      cache.write(script.createCachedData());
    });
  }
  const module = { exports: {} };
  const run = script.runInThisContext() as (...args: readonly unknown[]) => void;
  run.call(module.exports, module.exports, createRequire(path), module, path, dirname(path));
}

/** What one command uses of the bundle, compiled by this version of Node.js. */
class CodeCache {
  private readonly prefix: string;
  private readonly name: string;

  constructor(
    code: string,
    command: string,
    private readonly folder: string,
  ) {
    this.prefix = `${command}-${process.version}-${process.arch}-`;
    // V8 compares only the length of the source. The hash at the end of it tells bundles apart.
    this.name = this.prefix + code.slice(-16);
  }

  read(): Buffer | undefined {
    try {
      return readFileSync(join(this.folder, this.name));
    } catch {
      return undefined;
    }
  }

  /** Replaces the code of older bundles. Ignores errors: the next command compiles the code again. */
  write(data: Buffer): void {
    try {
      makeFolderSync(this.folder, { mode: 0o700 });
      const others = readdirSync(this.folder).filter((name) => name.startsWith(this.prefix));
      for (const name of others) rmSync(join(this.folder, name));
      const part = join(this.folder, `${this.name}.${process.pid}`);
      writeFileSync(part, data);
      renameSync(part, join(this.folder, this.name));
    } catch {
      // A folder that can't be written.
    }
  }
}

import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Loads a package that may not be installed: the one of the project in `folder`, or else the one that is installed with
 * Baton. Undefined if there is none. Throws what the package throws while it is loaded.
 */
export async function loadPackage(name: string, folder: string): Promise<object | undefined> {
  for (const start of [folder, __dirname]) {
    const root = findPackage(name, start);
    if (root !== undefined) return loadFrom(root, name);
  }
  return undefined;
}

/** Whether a package can be loaded. */
export function isInstalled(name: string, folder: string): boolean {
  return [folder, __dirname].some((start) => findPackage(name, start) !== undefined);
}

/** Returns the folder of a package as Node.js finds it: in the nearest `node_modules` that contains it. */
function findPackage(name: string, start: string): string | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (existsSync(join(candidate, 'package.json'))) return candidate;
    if (dirname(folder) === folder) return undefined;
  }
}

async function loadFrom(root: string, name: string): Promise<object> {
  // Resolved from inside the package, which may refer to itself by its name if it has `exports`.
  const require = createRequire(join(root, 'package.json'));
  try {
    return require(hasExports(root) ? name : root) as object;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ERR_PACKAGE_PATH_NOT_EXPORTED' && code !== 'ERR_REQUIRE_ESM') throw error;
  }
  return (await import(pathToFileURL(join(root, esModule(root))).href)) as object;
}

interface Manifest {
  readonly exports?: unknown;
  readonly module?: string;
  readonly main?: string;
}

function manifestOf(root: string): Manifest {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
}

function hasExports(root: string): boolean {
  return manifestOf(root).exports !== undefined;
}

/** Returns the file of a package that has only an ES module. */
function esModule(root: string): string {
  const { exports, module, main = 'index.js' } = manifestOf(root);
  const entry = isObject(exports) && '.' in exports ? exports['.'] : exports;
  return importTarget(entry) ?? module ?? main;
}

function importTarget(entry: unknown): string | undefined {
  if (typeof entry === 'string') return entry;
  if (!isObject(entry)) return undefined;
  return ['node', 'import', 'module', 'default']
    .map((name) => importTarget(entry[name]))
    .find((path) => path !== undefined);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

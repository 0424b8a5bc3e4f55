import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { type Environment, readVariable, ServerSetupError } from '../node/setup-error';

/** The release of the official CLI that dev-server/go.mod pins. */
export const pinnedCliVersion = '1.8.2';

/** Returns the folder for files that can be recreated and that all projects of a user share. */
export function defaultCacheDir(env: Environment): string {
  const shared = readVariable(env, 'XDG_CACHE_HOME') ?? join(readVariable(env, 'HOME') ?? homedir(), '.cache');
  return resolve(readVariable(env, 'BATON_CACHE_DIR') ?? join(shared, 'baton'));
}

/**
 * Returns the path of the cached CLI. It contains the version, so that an upgraded Baton never runs an outdated server.
 */
export function cachedBinaryPath(cacheDir: string): string {
  return join(cacheDir, 'temporal', `cli-${pinnedCliVersion}`, 'temporal');
}

/** Files and folders of a dev server. */
export interface StatePaths {
  readonly dir: string;
  readonly database: string;
  /** Exists if the database was created with one partition for each task queue. */
  readonly onePartition: string;
  readonly record: string;
  readonly log: string;
  readonly users: string;
  readonly lock: string;
}

/** Returns the paths of the dev server in a state folder. */
export function statePaths(stateDir: string): StatePaths {
  const dir = join(resolve(stateDir), 'temporal');
  return {
    dir,
    database: join(dir, 'temporal.db'),
    onePartition: join(dir, 'one-partition'),
    record: join(dir, 'server.json'),
    log: join(dir, 'server.log'),
    users: join(dir, 'users'),
    lock: join(dir, 'server.lock'),
  };
}

/**
 * Returns the folder of the pinned Go module. It is found from the package root, because compiled code is one folder
 * deeper than its source.
 */
export function devServerModuleDir(): string {
  for (let dir = __dirname; dirname(dir) !== dir; dir = dirname(dir)) {
    const module = join(dir, 'temporal-config', 'dev-server', 'go');
    if (existsSync(join(module, 'go.mod'))) return module;
  }
  throw new ServerSetupError(`The Go module of the dev server is missing above ${__dirname}`, 'Install Baton again.');
}

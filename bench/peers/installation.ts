import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of the sources: this one, or the one that it was compiled from. */
const sources = existsSync(join(__dirname, 'package.json'))
  ? __dirname
  : join(__dirname, '..', '..', '..', 'bench', 'peers');
/** The only package that is compiled when it is installed. Scripts of all others are not run. */
const compiled = 'better-sqlite3';

/** Returns the file of a system. */
export function systemFile(name: string): string {
  return join(sources, 'systems', `${name}.ts`);
}

/** Returns the folder of an installed package. */
export function packageFolder(name: string): string {
  return join(sources, 'node_modules', ...name.split('/'));
}

/** The version of a package that the lock file names. */
export function versionOf(name: string): string {
  const { dependencies } = JSON.parse(readFileSync(join(sources, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  return dependencies[name] ?? 'unknown';
}

/** Whether the packages of the other systems are installed. */
export function isInstalled(): boolean {
  return existsSync(join(sources, 'node_modules', '.package-lock.json'));
}

/** Installs the packages of the other systems. They are large, so this happens only when somebody asks for them. */
export async function install(log: (line: string) => void): Promise<void> {
  log(`Installing the other systems in bench/peers (npm ci; about 700 MB, several minutes) …`);
  await npm('ci', '--ignore-scripts', '--no-audit', '--no-fund');
  await npm('rebuild', compiled);
}

async function npm(...args: readonly string[]): Promise<void> {
  const child = spawn('npm', args, { cwd: sources, stdio: ['ignore', process.stderr, process.stderr] });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`npm ${args.join(' ')} failed in bench/peers`);
}

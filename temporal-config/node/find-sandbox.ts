import { execFile } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { Sandbox } from '../sandbox';

/** Values of BATON_SANDBOX: `auto`, `bwrap`, `unsafe`, `off`, or the image of a container. */
export const sandboxSetting = /^(?:auto|bwrap|unsafe|off|(?:docker|podman):[\w][\w./:@-]{0,250})$/;

const run = promisify(execFile);
/** Milliseconds after which a program that is only asked for its version counts as not working. */
const patience = 10_000;

const found = new Map<string, Promise<Sandbox>>();

/**
 * Finds the sandbox that a setting names, and tries it: `bwrap` may be installed where the kernel or the surrounding
 * container forbids it to create namespaces. Tries once per process.
 */
export function findSandbox(setting = 'auto'): Promise<Sandbox> {
  const known = found.get(setting) ?? trySandbox(setting, process.env);
  found.set(setting, known);
  return known;
}

/** Like `findSandbox`, but tries again, with programs of this environment. */
export async function trySandbox(setting: string, env: NodeJS.ProcessEnv): Promise<Sandbox> {
  if (setting === 'unsafe') return { kind: 'unsafe' };
  if (setting === 'off') return { kind: 'none', reason: 'BATON_SANDBOX is off' };
  const [, program, image] = /^(docker|podman):(.+)$/.exec(setting) ?? [];
  if (program === 'docker' || program === 'podman') return findContainer(program, image ?? '', env);
  return findBubblewrap(env);
}

async function findContainer(program: 'docker' | 'podman', image: string, env: NodeJS.ProcessEnv): Promise<Sandbox> {
  try {
    // The version of docker's server is known only if its daemon runs. podman has none.
    const part = program === 'docker' ? 'Server' : 'Client';
    await run(program, ['version', '--format', `{{.${part}.Version}}`], { timeout: patience, env });
    return { kind: 'container', program, image };
  } catch (error) {
    return { kind: 'none', reason: `${program} does not work (${firstLine(error)})` };
  }
}

async function findBubblewrap(env: NodeJS.ProcessEnv): Promise<Sandbox> {
  const program = findProgram('bwrap', env);
  if (program === undefined) return { kind: 'none', reason: 'bubblewrap (bwrap) is not installed' };
  const prlimit = findProgram('prlimit', env);
  if (prlimit === undefined) return { kind: 'none', reason: 'prlimit, a part of util-linux, is not installed' };
  try {
    const { stdout } = await run(program, ['--version'], { timeout: patience, env: {} });
    await run(program, [...trial, prlimit, '--core=0', '--', prlimit, '--version'], { timeout: patience, env: {} });
    return { kind: 'bwrap', program, prlimit, version: /[\d.]+/.exec(stdout)?.[0] ?? 'of an unknown version' };
  } catch (error) {
    return { kind: 'none', reason: `bubblewrap can't create a sandbox here (${firstLine(error)})` };
  }
}

/** Arguments that need every namespace which a command gets. */
const trial = [
  '--unshare-all',
  '--unshare-user',
  '--die-with-parent',
  ...['--ro-bind', '/', '/'],
  ...['--proc', '/proc'],
  ...['--dev', '/dev'],
  '--',
];

/** Returns the path of a program; undefined if it is not on the PATH. */
function findProgram(name: string, { PATH = '' }: NodeJS.ProcessEnv): string | undefined {
  const folders = [...PATH.split(delimiter), '/usr/bin', '/bin', '/usr/local/bin'].filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function firstLine(error: unknown): string {
  const { stderr, message } = error as { readonly stderr?: unknown; readonly message?: unknown };
  const text = typeof stderr === 'string' && stderr.trim() !== '' ? stderr : String(message);
  return (text.trim().split('\n')[0] ?? '').slice(0, 200);
}

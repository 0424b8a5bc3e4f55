import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { isNativeError } from 'node:util/types';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '../node/setup-error';

/** A running process. */
export interface ProcessDescription {
  readonly pid: number;
  /** Command and arguments, each followed by a space. */
  readonly command: string;
  /** Start time in the format of the operating system. Together with the pid it identifies a process permanently. */
  readonly began: string;
}

/** Returns a process; undefined when it does not exist or is a zombie. */
export async function describeProcess(pid: number): Promise<ProcessDescription | undefined> {
  if (process.platform === 'linux') return readProc(pid);
  return (await askPs('-p', String(pid)))[0];
}

/** Returns all running processes. */
export async function describeAllProcesses(): Promise<ProcessDescription[]> {
  if (process.platform !== 'linux') return askPs('-ax');
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(pids.map((pid) => readProc(Number(pid))));
  return found.filter((description) => description !== undefined);
}

async function readProc(pid: number): Promise<ProcessDescription | undefined> {
  const read = (name: string): Promise<string> => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '');
  const [stat, commandLine] = await Promise.all([read('stat'), read('cmdline')]);
  // The second field is the program's name in parentheses. It may itself contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, began] = [fields[0], fields[19]];
  if (state === 'Z' || state === 'X' || began === undefined) return undefined;
  return { pid, command: commandLine.replaceAll('\0', ' '), began };
}

const psLine = /^\s*(\d+)\s+([^Z\s]\S*)\s+(\w{3}\s+\w{3}\s+\d+\s+[\d:]+\s+\d{4})\s+(.*)$/;

async function askPs(...selection: string[]): Promise<ProcessDescription[]> {
  const columns = ['pid=', 'stat=', 'lstart=', 'command='].flatMap((column) => ['-o', column]);
  const env = { ...process.env, LC_ALL: 'C' };
  const printed = await runProgram('ps', ['-ww', ...selection, ...columns], { env }).catch(() => '');
  return printed.split('\n').flatMap((line) => {
    const [, pid, , began = '', command = ''] = psLine.exec(line) ?? [];
    return pid === undefined ? [] : [{ pid: Number(pid), began, command: `${command} ` }];
  });
}

const politeMs = 10_000;

/**
 * Ends a process and its process group, and returns when it has exited. The caller has verified that it is the right
 * process.
 */
export async function stopProcess(pid: number): Promise<void> {
  const began = (await describeProcess(pid))?.began;
  if (began === undefined) return;
  const isGone = async (): Promise<boolean> => (await describeProcess(pid))?.began !== began;
  signalGroup(pid, 'SIGTERM');
  const deadline = Date.now() + politeMs;
  while (Date.now() < deadline) {
    if (await isGone()) return;
    await sleep(25);
  }
  signalGroup(pid, 'SIGKILL');
  while (!(await isGone())) await sleep(25);
}

/** Signals the process group. A detached server leads its own group; a server behind a wrapper script is in it too. */
function signalGroup(pid: number, signal: NodeJS.Signals): void {
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, signal);
      return;
    } catch {
      // The process has exited, or does not lead a group. In the second case the next target is the process alone.
    }
  }
}

/** Options of `runCommand`. `env` defaults to the process's environment, `timeoutMs` to 10 seconds. */
export interface CommandOptions {
  readonly env?: Environment;
  readonly cwd?: string;
  readonly timeoutMs?: number;
}

/**
 * Runs a short command and returns its standard output. Rejects with the command's error output, without its command
 * line.
 */
export async function runProgram(file: string, args: readonly string[], options: CommandOptions = {}): Promise<string> {
  const { env = process.env, cwd, timeoutMs = 10_000 } = options;
  return new Promise((resolve, reject) => {
    execFile(file, args, { env, cwd, timeout: timeoutMs, maxBuffer: 16 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (!error) resolve(stdout);
      else if (error.killed) reject(new Error(`no response within ${timeoutMs / 1000} s`));
      else reject(new Error(stderr.trim() || error.message));
    });
  });
}

/** Returns the most informative message of an error. */
export function errorReason(error: unknown): string {
  if (!isNativeError(error)) return String(error);
  // The message of `fetch` is only "fetch failed"; the network error is its cause.
  if (isNativeError(error.cause)) return errorReason(error.cause);
  // If several addresses refused the connection, the error has no message.
  return error.message || ((error as NodeJS.ErrnoException).code ?? error.name);
}

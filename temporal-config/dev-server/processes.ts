import { readdir, readFile } from 'node:fs/promises';
import { runCommand } from './run-command';

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
  const printed = await runCommand('ps', ['-ww', ...selection, ...columns], { env }).catch(() => '');
  return printed.split('\n').flatMap((line) => {
    const [, pid, , began = '', command = ''] = psLine.exec(line) ?? [];
    return pid === undefined ? [] : [{ pid: Number(pid), began, command: `${command} ` }];
  });
}

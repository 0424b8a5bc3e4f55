import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { ChaosSession } from '../session/session';
import { type Check, wasStopped } from './look';

/** How long processes and files of something that was killed may take to disappear. */
const patienceMs = 10_000;

/**
 * No worker ended by itself. One that could not run for seconds, because it was stopped or the machine was busy, may: the
 * SDK ends workflow code after five seconds, which Node.js does not always survive. To the others it is a kill.
 */
export const noWorkerDied: Check = ({ round }) => {
  const deaths = round.session.workers.deaths.splice(0);
  return wasStopped(round) || round.wasStalled ? [] : deaths;
};

/** No process that a round started still runs, except workers and their MCP servers, and no temporary file is left. */
export const nothingIsLeft: Check = async ({ round: { session } }) => {
  const end = Date.now() + patienceMs;
  for (;;) {
    const left = leftIn(session);
    if (left.length === 0 || Date.now() > end) return left;
    await pause(200);
  }
};

/** What is left at this moment. */
export function leftIn(session: Pick<ChaosSession, 'folder' | 'workers'>): string[] {
  return [...strayProcesses(session), ...strayFiles(session)];
}

interface FoundProcess {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** Processes that belong to the session: its folder is in their command line or environment. */
function processesOf(folder: string): FoundProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const [command = '', environment = '', status = ''] = ['cmdline', 'environ', 'status'].map((file) =>
        read(`/proc/${pid}/${file}`),
      );
      if (!command.includes(folder) && !environment.includes(folder)) return [];
      const parent = Number(/^PPid:\s+(\d+)$/m.exec(status)?.[1]);
      return [{ pid: Number(pid), parent, command: command.replaceAll('\0', ' ') }];
    });
}

function strayProcesses({ folder, workers }: Pick<ChaosSession, 'folder' | 'workers'>): string[] {
  const all = processesOf(folder);
  const known = new Set(workers.running.map(({ process: child }) => child.pid));
  // MCP servers, and the shells that end them with their worker.
  const isServed = ({ command, parent }: FoundProcess): boolean => command.includes('odd-server') && known.has(parent);
  for (let size = -1; size !== known.size;) {
    size = known.size;
    for (const each of all) if (isServed(each)) known.add(each.pid);
  }
  return all
    .filter(({ pid, command }) => !known.has(pid) && !command.includes(' start-dev '))
    .map(({ pid, command }) => `process ${pid} is left: ${command.slice(0, 150)}`);
}

function strayFiles({ folder }: Pick<ChaosSession, 'folder'>): string[] {
  return readdirSync(join(folder, 'temporary')).map((name) => `a temporary file is left: ${name}`);
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

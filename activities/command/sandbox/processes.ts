import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type { CommandUse } from './confinement';

const pageBytes = 4_096;

/** A process by its id and its start, because ids are used again. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startedAt: string;
}

/** Reads the identity of a process; undefined if it does not run, or where processes can't be inspected. */
export function identify(pid: number): ProcessIdentity | undefined {
  const facts = statOf(pid);
  return facts === undefined || facts.isDead ? undefined : { pid, startedAt: facts.startedAt };
}

/** Returns whether a process still runs. One that has ended but was not waited for yet does not. */
export function isRunning({ pid, startedAt }: ProcessIdentity): boolean {
  const facts = statOf(pid);
  return facts !== undefined && !facts.isDead && facts.startedAt === startedAt;
}

/** Sends a signal to a process or, for a negative id, to a process group. Does nothing if it has ended. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}

/** Lists the processes that share the process id namespace of `pid`, itself included. */
export function namespaceMembers(pid: number): number[] {
  const namespace = linkOf(pid);
  return namespace === undefined ? [] : allProcesses().filter((other) => linkOf(other) === namespace);
}

/** Lists the processes whose environment, as it was when they started, contains this entry. */
export function processesWith(entry: string): number[] {
  return allProcesses().filter((pid) => textOf(`/proc/${pid}/environ`)?.split('\0').includes(entry) === true);
}

/** Measures processes: how many threads they have, and how much memory is theirs alone. */
export function measureProcesses(pids: readonly number[]): CommandUse {
  let processes = 0;
  let memoryBytes = 0;
  for (const pid of pids) {
    const [, resident = 0, shared = 0] = (textOf(`/proc/${pid}/statm`) ?? '').split(' ').map(Number);
    memoryBytes += Math.max(0, resident - shared) * pageBytes;
    processes += statOf(pid)?.threads ?? 0;
  }
  return { processes, memoryBytes };
}

/** Milliseconds between two looks at processes that were told to end. */
const lookInterval = 5;

/** Waits until a condition holds, at most this long. Returns whether it holds. */
export async function waitUntil(holds: () => boolean, maxMs: number): Promise<boolean> {
  const until = Date.now() + maxMs;
  while (!holds()) {
    if (Date.now() > until) return false;
    await setTimeout(lookInterval);
  }
  return true;
}

function allProcesses(): number[] {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  } catch {
    return [];
  }
}

interface ProcessFacts {
  readonly isDead: boolean;
  readonly threads: number;
  readonly startedAt: string;
}

/** The name of a process, which comes before these fields, may contain spaces and brackets. */
function statOf(pid: number): ProcessFacts | undefined {
  const text = textOf(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state = ''] = fields;
  return { isDead: state === 'Z' || state === 'X', threads: Number(fields[17] ?? 0), startedAt: fields[19] ?? '' };
}

function linkOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    return undefined;
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { statfs } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import type { CommandEnding } from '../../domain/command';
import type { CommandRequest, ConfinedCommand, Confinement } from './sandbox/confinement';
import { formatLimit } from './limits';
import type { Watchdog } from './sandbox/watchdog';

/** The end of a command. */
export interface ProcessResult {
  readonly ending: CommandEnding;
  /** The limit that ended it; undefined if it exited by itself. */
  readonly limit: string | undefined;
  /** Null if a signal ended it. */
  readonly exitCode: number | null;
  readonly seconds: number;
  /** What it wrote, at most `outputBytes` together. */
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

/** Thrown when a command could not be started at all. */
export class CommandNotStartedError extends Error {}

/** Time between the request to end and the end by force. */
const graceMs = 1_000;
/** Time between two looks at what a command uses. */
const lookMs = 250;
/** Time that the output of a command may take to arrive after all of its processes have ended. */
const drainMs = 1_000;

/**
 * Runs a command to its end, or until it reaches a limit or the signal is aborted. When this returns or throws, no process
 * of the command is left. Throws the reason of the signal if it was aborted.
 */
export async function runProcess(
  confinement: Confinement,
  request: CommandRequest & { readonly seconds: number },
  signal: AbortSignal,
): Promise<ProcessResult> {
  signal.throwIfAborted();
  const launch = confinement.launch(request);
  const begun = Date.now();
  const child = spawn(launch.program, launch.args, {
    cwd: launch.cwd,
    env: launch.env,
    detached: launch.detached ?? false,
    stdio: ['ignore', 'pipe', 'pipe', ...(launch.reports === true ? (['pipe'] as const) : [])],
  });
  await started(child, launch.watchdog);
  const command = confinement.watch(child, launch);
  const output = new BoundedOutput(child, request.limits.outputBytes);
  try {
    const stop = await untilStopped(child, { command, output, request, signal });
    if (stop !== undefined || signal.aborted) await endPolitely(child, command);
    // Also after an exit: processes in the background must not change files any more.
    await command.end();
    await output.drained();
    signal.throwIfAborted();
    const failure = stop === undefined ? command.startFailure() : undefined;
    if (failure !== undefined)
      throw new CommandNotStartedError(`${failure}: ${output.stderr().toString('utf8').trim()}`);
    return {
      ...resultOf(child, stop),
      seconds: (Date.now() - begun) / 1_000,
      stdout: output.stdout(),
      stderr: output.stderr(),
    };
  } finally {
    await command.end();
  }
}

async function started(child: ChildProcess, watchdog: Watchdog | undefined): Promise<void> {
  try {
    await once(child, 'spawn');
  } catch (error) {
    watchdog?.stop();
    throw new CommandNotStartedError(error instanceof Error ? error.message : String(error));
  }
}

/** Why the engine ends a command, and the limit that it reached. */
interface Stop {
  readonly ending: Exclude<CommandEnding, 'exited'>;
  readonly limit: string;
}

function resultOf(
  { exitCode }: ChildProcess,
  stop: Stop | undefined,
): Pick<ProcessResult, 'ending' | 'limit' | 'exitCode'> {
  return stop === undefined
    ? { ending: 'exited', limit: undefined, exitCode }
    : { ending: stop.ending, limit: stop.limit, exitCode: null };
}

interface Watched {
  readonly command: ConfinedCommand;
  readonly output: BoundedOutput;
  readonly request: CommandRequest & { readonly seconds: number };
  readonly signal: AbortSignal;
}

/** Waits until the command exits, or has to be ended. Undefined if it exited, or if the signal was aborted. */
async function untilStopped(child: ChildProcess, watched: Watched): Promise<Stop | undefined> {
  const { output, request, signal } = watched;
  const over = new AbortController();
  const { signal: isOver } = over;
  try {
    return await Promise.race([
      exited(child).then(() => undefined),
      output.overflow.then((): Stop => ({ ending: 'output', limit: formatLimit(request.limits.outputBytes) })),
      setTimeout(request.seconds * 1_000, undefined, { signal: isOver }).then((): Stop => ({
        ending: 'timeout',
        limit: `${request.seconds} seconds`,
      })),
      untilTooMuch(watched, isOver),
      ...(signal.aborted ? [undefined] : [once(signal, 'abort', { signal: isOver }).then(() => undefined)]),
    ]);
  } finally {
    over.abort();
  }
}

async function exited(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

/** Looks at what the command uses until that is too much. Rejects when `isOver` is aborted. */
async function untilTooMuch({ command, request }: Watched, isOver: AbortSignal): Promise<Stop> {
  const { processes, memoryBytes, freeBytes } = request.limits;
  for (;;) {
    await setTimeout(lookMs, undefined, { signal: isOver });
    const use = command.measure();
    if (use !== undefined && use.processes > processes) return { ending: 'processes', limit: `${processes} processes` };
    if (use !== undefined && use.memoryBytes > memoryBytes)
      return { ending: 'memory', limit: formatLimit(memoryBytes) };
    if ((await freeBytesAt(request.folder)) < freeBytes)
      return { ending: 'disk', limit: `${formatLimit(freeBytes)} must stay free` };
  }
}

/** Returns how many bytes are free on the disk that contains a folder. */
export async function freeBytesAt(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

async function endPolitely(child: ChildProcess, command: ConfinedCommand): Promise<void> {
  command.terminate();
  await Promise.race([exited(child), setTimeout(graceMs, undefined, { ref: false })]);
}

/** Collects what a process writes, up to a limit for both outputs together. */
class BoundedOutput {
  readonly overflow: Promise<void>;
  private readonly chunks = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  private readonly closed: Promise<unknown>;
  private left: number;
  private reportOverflow: () => void = () => undefined;

  constructor(
    private readonly child: ChildProcess,
    maxBytes: number,
  ) {
    this.left = maxBytes;
    this.overflow = new Promise((resolve) => {
      this.reportOverflow = resolve;
    });
    this.closed = Promise.all([this.collect('stdout'), this.collect('stderr')]);
  }

  stdout(): Buffer {
    return Buffer.concat(this.chunks.stdout);
  }

  stderr(): Buffer {
    return Buffer.concat(this.chunks.stderr);
  }

  /** Waits until everything that was written has arrived. Something outside may keep the outputs open. */
  async drained(): Promise<void> {
    await Promise.race([this.closed, setTimeout(drainMs, undefined, { ref: false })]);
    this.child.stdout?.destroy();
    this.child.stderr?.destroy();
  }

  private collect(name: 'stdout' | 'stderr'): Promise<void> {
    const stream: Readable | null = this.child[name];
    return new Promise((resolve) => {
      stream?.on('data', (chunk: Buffer) => {
        const kept = chunk.subarray(0, this.left);
        this.left -= kept.length;
        if (kept.length > 0) this.chunks[name].push(kept);
        if (kept.length < chunk.length) this.reportOverflow();
      });
      stream?.on('error', () => undefined);
      stream?.once('close', resolve);
    });
  }
}

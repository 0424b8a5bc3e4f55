import { randomUUID } from 'node:crypto';
import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  basicEnvironment,
  type CommandRequest,
  type CommandUse,
  type ConfinedCommand,
  type Confinement,
  type Launch,
} from './confinement';
import { processesWith, signalProcess, waitUntil } from './processes';
import { startWatchdog, type Watchdog } from './watchdog';

/** Variable by which the processes of a command are found, also those that left its process group. */
const marker = 'BATON_COMMAND';

/**
 * Runs a command like any other process of the worker's user. Time and output are limited, and its processes are ended
 * with it; everything else is up to the machine.
 */
export class Unconfined implements Confinement {
  launch({ command, folder, cwd, env }: CommandRequest): Launch {
    const { TMPDIR: _tmp, HOME: _home, ...basic } = basicEnvironment(process.env['PATH'] ?? '/usr/bin:/bin');
    const home = process.env['HOME'];
    return {
      program: existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh',
      args: ['-c', command],
      env: { ...basic, ...(home === undefined ? {} : { HOME: home }), ...env, [marker]: randomUUID() },
      cwd: join(folder, cwd),
      detached: true,
    };
  }

  watch(child: ChildProcess, { env }: Launch): ConfinedCommand {
    return new UnconfinedCommand(child, `${marker}=${env[marker] ?? ''}`);
  }
}

/**
 * Kills the process group $1, and every process that has the entry $2 in its environment. One `grep` looks at all of
 * them, because a machine that is busy takes long to start hundreds.
 */
const killAll =
  'kill -KILL -- "-$1" 2>/dev/null; for f in $(grep -lsF -e "$2" /proc/[0-9]*/environ); do p="${f#/proc/}"; kill -KILL "${p%/environ}" 2>/dev/null; done';

const maxEndMs = 10_000;

class UnconfinedCommand implements ConfinedCommand {
  private readonly watchdog: Watchdog;

  constructor(
    private readonly child: ChildProcess,
    private readonly entry: string,
  ) {
    this.watchdog = startWatchdog(killAll, [String(child.pid ?? 0), entry]);
  }

  terminate(): void {
    this.signal('SIGTERM');
  }

  async end(): Promise<void> {
    // Again and again, because a process may start another one while it is looked for.
    const hasEnded = await waitUntil(() => this.signal('SIGKILL') === 0, maxEndMs);
    this.watchdog.stop();
    if (!hasEnded) throw new Error('The processes of the command could not be ended.');
  }

  measure(): CommandUse | undefined {
    return undefined;
  }

  startFailure(): string | undefined {
    return undefined;
  }

  /** Returns how many processes it found. */
  private signal(signal: NodeJS.Signals): number {
    if (this.child.pid !== undefined) signalProcess(-this.child.pid, signal);
    const found = processesWith(this.entry);
    for (const pid of found) signalProcess(pid, signal);
    return found.length;
  }
}

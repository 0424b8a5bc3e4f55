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
    const id = randomUUID();
    return {
      program: existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh',
      args: ['-c', command],
      env: { ...basic, ...(home === undefined ? {} : { HOME: home }), ...env, [marker]: id },
      cwd: join(folder, cwd),
      detached: true,
      watchdog: startWatchdog(killAll, [`${marker}=${id}`]),
    };
  }

  watch(child: ChildProcess, { env, watchdog }: Launch): ConfinedCommand {
    return new UnconfinedCommand(child, `${marker}=${env[marker] ?? ''}`, watchdog);
  }
}

/**
 * Kills every process that has the entry $1 in its environment, several times, because one may be starting another one.
 * A single `grep` looks at all of them: a busy machine takes long to start hundreds.
 */
const killAll =
  'for i in 1 2 3; do for f in $(grep -lsF -e "$1" /proc/[0-9]*/environ); do p="${f#/proc/}"; kill -KILL "${p%/environ}" 2>/dev/null; done; sleep 1; done';

const maxEndMs = 10_000;

class UnconfinedCommand implements ConfinedCommand {
  constructor(
    private readonly child: ChildProcess,
    private readonly entry: string,
    private readonly watchdog: Watchdog | undefined,
  ) {}

  terminate(): void {
    this.signal('SIGTERM');
  }

  async end(): Promise<void> {
    // Again and again, because a process may start another one while it is looked for.
    const hasEnded = await waitUntil(() => this.signal('SIGKILL') === 0, maxEndMs);
    this.watchdog?.stop();
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

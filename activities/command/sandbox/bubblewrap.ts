import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import type { Sandbox } from '../../../temporal-config/sandbox';
import { bwrapArguments, type VisibleSystem, visiblePath } from './bwrap-arguments';
import type { Cgroup, Cgroups } from './cgroups';
import {
  basicEnvironment,
  type CommandRequest,
  type CommandUse,
  type ConfinedCommand,
  type Confinement,
  type Launch,
} from './confinement';
import {
  identify,
  isRunning,
  measureProcesses,
  namespaceMembers,
  type ProcessIdentity,
  signalProcess,
  waitUntil,
} from './processes';
import { startWatchdog, type Watchdog } from './watchdog';

type Bubblewrap = Extract<Sandbox, { kind: 'bwrap' }>;

/** Runs a command in namespaces of its own, with `bwrap`. */
export class BubblewrapConfinement implements Confinement {
  private readonly groups = new WeakMap<Launch, Cgroup>();

  constructor(
    private readonly sandbox: Bubblewrap,
    private readonly system: VisibleSystem,
    private readonly cgroups: Cgroups,
  ) {}

  launch(request: CommandRequest): Launch {
    const { limits, env } = request;
    const path = visiblePath(process.env['PATH'] ?? '', this.system.folders);
    const variables = Object.entries({ ...basicEnvironment(path), ...env });
    const inside = [
      ...variables.flatMap(([name, value]) => ['--setenv', name, value]),
      '--',
      this.sandbox.prlimit,
      `--nproc=${limits.processes}`,
      `--data=${limits.memoryBytes}`,
      `--fsize=${limits.fileBytes}`,
      '--core=0',
      '--',
      existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh',
      '-c',
      request.command,
    ];
    const args = [...bwrapArguments(request, this.system, this.sandbox.version), ...inside];
    // An empty environment: the first process of the sandbox has it, and commands can read it.
    const watchdog = startWatchdog(killBubblewrap, [], { FOLDER: request.folder });
    const launch = { program: this.sandbox.program, args, env: {}, reports: true, watchdog };
    const group = this.cgroups.create(limits);
    if (group === undefined) return launch;
    const inGroup = { ...launch, ...group.wrap(launch) };
    this.groups.set(inGroup, group);
    return inGroup;
  }

  watch(child: ChildProcess, launch: Launch): ConfinedCommand {
    return new BubblewrapCommand(child, this.groups.get(launch), launch.watchdog);
  }
}

/**
 * Kills every process whose command line names the folder $FOLDER, which are those of bwrap. It ends by itself when the worker
 * does, except in the moment before its second process has asked the kernel for that. The pattern goes through a pipe, so
 * that no process of the watchdog has it in its own command line.
 */
const killBubblewrap =
  'for i in 1 2 3; do for f in $(printf %s "$FOLDER" | grep -lsaF -f - /proc/[0-9]*/cmdline); do p="${f#/proc/}"; kill -KILL "${p%/cmdline}" 2>/dev/null; done; sleep 1; done';

/** How long the processes of a sandbox may take to disappear after its first one was killed. */
const maxEndMs = 10_000;
/** How long the last report of bwrap may take to arrive after it has ended. */
const maxReportMs = 1_000;

class BubblewrapCommand implements ConfinedCommand {
  private reports = '';
  private first: ProcessIdentity | undefined;
  private readonly reported: Promise<void>;

  constructor(
    private readonly child: ChildProcess,
    private readonly group: Cgroup | undefined,
    private readonly watchdog: Watchdog | undefined,
  ) {
    const pipe = child.stdio[3] as Readable | null | undefined;
    pipe?.on('data', (chunk: Buffer) => {
      this.reports += chunk.toString('utf8');
      const pid = /"child-pid": ?(\d+)/.exec(this.reports)?.[1];
      if (pid !== undefined) this.first ??= identify(Number(pid));
    });
    pipe?.on('error', () => undefined);
    this.reported = new Promise((resolve) => pipe?.once('close', resolve));
  }

  terminate(): void {
    const { first } = this;
    if (first === undefined) return;
    // The first process only waits for the others.
    for (const pid of namespaceMembers(first.pid)) if (pid !== first.pid) signalProcess(pid, 'SIGTERM');
  }

  async end(): Promise<void> {
    const { first, child } = this;
    child.kill('SIGKILL');
    // The kernel kills all processes of a namespace with its first one, and removes that one last.
    if (first !== undefined && isRunning(first)) signalProcess(first.pid, 'SIGKILL');
    const hasEnded = await waitUntil(() => first === undefined || !isRunning(first), maxEndMs);
    await Promise.race([this.reported, setTimeout(maxReportMs, undefined, { ref: false })]);
    this.group?.remove();
    if (hasEnded) this.watchdog?.stop();
    if (!hasEnded) throw new Error(`The processes of the command could not be ended (process ${first?.pid ?? 0}).`);
  }

  measure(): CommandUse | undefined {
    if (this.group !== undefined || this.first === undefined) return undefined;
    return measureProcesses(namespaceMembers(this.first.pid));
  }

  startFailure(): string | undefined {
    return this.reports.includes('"exit-code"') ? undefined : 'bwrap could not start it';
  }
}

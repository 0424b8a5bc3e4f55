import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Launch } from './confinement';
import type { CommandLimits } from '../limits';

const mountPoint = '/sys/fs/cgroup';

/** One control group, or several of them where each controller has its own hierarchy, for one command. */
export interface Cgroup {
  /** Returns how to start a process in the group. */
  wrap(launch: Launch): Pick<Launch, 'program' | 'args'>;
  /** Removes the group, in which no process must be left. */
  remove(): void;
}

/**
 * Control groups limit the processes and the memory of a command as a whole. They can be used where the worker may create
 * them, usually as root, for whom the kernel does not enforce the limit of processes that `prlimit` sets.
 */
export class Cgroups {
  private created = 0;
  private usable = process.platform === 'linux' && process.getuid?.() === 0;

  /** Creates a group with these limits; undefined where that is not possible. */
  create(limits: CommandLimits): Cgroup | undefined {
    if (!this.usable) return undefined;
    const name = `baton-${process.pid}-${this.created++}`;
    const folders: string[] = [];
    try {
      for (const { folder, files } of controllersFor(limits)) {
        const group = join(folder, name);
        mkdirSync(group);
        folders.push(group);
        for (const [file, value] of Object.entries(files)) writeFileSync(join(group, file), value);
      }
      return new CreatedGroup(folders);
    } catch {
      // Read-only, as in most containers, or without the controllers.
      this.usable = false;
      removeAll(folders);
      return undefined;
    }
  }
}

class CreatedGroup implements Cgroup {
  constructor(private readonly folders: readonly string[]) {}

  wrap({ program, args }: Launch): Pick<Launch, 'program' | 'args'> {
    const join = 'n=$1; shift; while [ "$n" -gt 0 ]; do echo $$ > "$1" || exit 97; shift; n=$((n-1)); done; exec "$@"';
    const files = this.folders.map((folder) => `${folder}/cgroup.procs`);
    return { program: '/bin/sh', args: ['-c', join, 'sh', String(files.length), ...files, program, ...args] };
  }

  remove(): void {
    removeAll(this.folders);
  }
}

function removeAll(folders: readonly string[]): void {
  for (const folder of folders) {
    try {
      rmdirSync(folder);
    } catch {
      // An empty group costs next to nothing.
    }
  }
}

interface Controllers {
  readonly folder: string;
  readonly files: Readonly<Record<string, string>>;
}

function controllersFor({ processes, memoryBytes }: CommandLimits): Controllers[] {
  const own = readFileSync('/proc/self/cgroup', 'utf8');
  const [pids, memory] = [String(processes), String(memoryBytes)];
  if (existsSync(join(mountPoint, 'cgroup.controllers'))) {
    const [, path = '/'] = /^0::(.*)$/m.exec(own) ?? [];
    return [{ folder: join(mountPoint, path), files: { 'pids.max': pids, 'memory.max': memory } }];
  }
  return [
    { folder: versionOne(own, 'pids'), files: { 'pids.max': pids } },
    { folder: versionOne(own, 'memory'), files: { 'memory.limit_in_bytes': memory } },
  ];
}

function versionOne(own: string, controller: string): string {
  const [, path = '/'] = new RegExp(`^\\d+:(?:[\\w,=]*,)?${controller}(?:,[\\w,=]*)?:(.*)$`, 'm').exec(own) ?? [];
  return join(mountPoint, controller, path);
}

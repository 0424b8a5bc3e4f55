import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommandSettings } from '../../domain/command';
import { DomainError, InvalidInputError } from '../../domain/kernel';
import { type Sandbox, sandboxRemedy } from '../../temporal-config/sandbox';
import { BubblewrapConfinement } from './sandbox/bubblewrap';
import { systemFolders } from './sandbox/bwrap-arguments';
import { Cgroups } from './sandbox/cgroups';
import type { Confinement } from './sandbox/confinement';
import { ContainerConfinement } from './sandbox/container';
import { type CommandLimits, defaultCommandLimits } from './limits';
import { removeAbandoned, ScratchArea } from './scratch-area';
import { Unconfined } from './sandbox/unconfined';

/** How a worker runs commands. */
export interface CommandEnvironment {
  readonly sandbox: Sandbox;
  /** Folder for the copies of workspaces that commands run in. */
  readonly scratchDir: string;
  /** Default: `defaultCommandLimits`. */
  readonly limits?: { readonly [Limit in keyof CommandLimits]?: CommandLimits[Limit] | undefined } | undefined;
  /** Names of environment variables of the worker that runs and skills may pass to commands. Default: none. */
  readonly env?: readonly string[] | undefined;
  /** Folders of the machine that commands may read, besides /usr and that of Node.js. Default: none. */
  readonly readOnly?: readonly string[] | undefined;
  /** Folders that commands must not read even if they are below such a folder. Default: none. */
  readonly hidden?: readonly string[] | undefined;
}

/** Thrown when a run or a skill grants commands, and the worker can't run any. */
class NoSandboxError extends DomainError {
  readonly type = 'Command.NoSandbox';

  constructor(reason: string) {
    super(`Commands were granted, and this worker has no sandbox to run them in: ${reason}. ${sandboxRemedy}`, {
      reason,
      remedy: sandboxRemedy,
    });
  }
}

/** Throws if a worker with these commands, or without any, can't run what is granted. */
export function requireCommands(commands: Commands | undefined, granted: CommandSettings | undefined): void {
  if (granted === undefined) return;
  if (commands === undefined) throw new NoSandboxError('its program has not enabled commands');
  commands.require(granted);
}

/** Everything that running commands on this worker needs. */
export class Commands {
  readonly area: ScratchArea;
  readonly limits: CommandLimits;
  private confined: Promise<Confinement> | undefined;

  constructor(private readonly environment: CommandEnvironment) {
    const given = Object.entries(environment.limits ?? {}).filter(([, value]) => value !== undefined);
    this.limits = { ...defaultCommandLimits, ...Object.fromEntries(given) };
    this.area = new ScratchArea(environment.scratchDir, this.limits.scratchBytes);
  }

  /** Whether this worker can run commands. */
  get isAvailable(): boolean {
    return this.environment.sandbox.kind !== 'none';
  }

  /** Throws if this worker can't run commands as they are granted. */
  require(granted: CommandSettings): void {
    const { sandbox } = this.environment;
    if (sandbox.kind === 'none') throw new NoSandboxError(sandbox.reason);
    this.variables(granted.env ?? []);
  }

  /** Returns the values of environment variables that commands may see. Throws if the worker does not allow one. */
  variables(names: readonly string[]): Record<string, string> {
    const { env: allowed = [] } = this.environment;
    const forbidden = names.find((name) => !allowed.includes(name));
    if (forbidden !== undefined) {
      throw new InvalidInputError(
        'commands.env',
        `this worker does not pass on the variable ${forbidden}`,
        `Add it to BATON_COMMAND_ENV of the worker, or to its option commands.env. Allowed: ${allowed.join(', ') || 'none'}.`,
      );
    }
    return Object.fromEntries(
      names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
    );
  }

  /** Returns how commands are confined. */
  confinement(): Promise<Confinement> {
    this.confined ??= this.confine();
    return this.confined;
  }

  /** Deletes what workers that were killed have left. */
  async cleanUp(): Promise<void> {
    await removeAbandoned(this.environment.scratchDir);
  }

  /** Deletes all scratch folders. No command may be running. */
  async close(): Promise<void> {
    await this.area.close();
  }

  private async confine(): Promise<Confinement> {
    const { sandbox, readOnly = [], hidden = [], scratchDir } = this.environment;
    if (sandbox.kind === 'none') throw new NoSandboxError(sandbox.reason);
    if (sandbox.kind === 'unsafe') return new Unconfined();
    if (sandbox.kind === 'container') return new ContainerConfinement(sandbox);
    const files = await writeSystemFiles(join(await this.area.open(), 'etc'));
    const system = { folders: systemFolders(readOnly), hidden: [...hidden, scratchDir], files };
    return new BubblewrapConfinement(sandbox, system, new Cgroups());
  }
}

/** Files of /etc that programs expect. Those of the machine would tell who uses it. */
const systemFiles: Readonly<Record<string, string>> = {
  passwd: 'agent:x:1000:1000:agent:/tmp:/bin/sh\n',
  group: 'agent:x:1000:\n',
  hosts: '127.0.0.1 localhost sandbox\n::1 localhost\n',
};

async function writeSystemFiles(folder: string): Promise<Record<string, string>> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const written = Object.entries(systemFiles).map(async ([name, text]): Promise<[string, string]> => {
    const file = join(folder, name);
    await writeFile(file, text, { mode: 0o644 });
    return [`/etc/${name}`, file];
  });
  return Object.fromEntries(await Promise.all(written));
}

import { type ChildProcess, execFile } from 'node:child_process';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import type { Sandbox } from '../../../temporal-config/sandbox';
import { workspaceMount } from './bwrap-arguments';
import type { CommandRequest, CommandUse, ConfinedCommand, Confinement, Launch } from './confinement';
import { startWatchdog, type Watchdog } from './watchdog';

type Container = Extract<Sandbox, { kind: 'container' }>;

/** Runs a command in a container of its own. */
export class ContainerConfinement implements Confinement {
  constructor(private readonly sandbox: Container) {}

  launch(request: CommandRequest): Launch {
    const name = `baton-${randomUUID()}`;
    // The container does not end with the program that started it.
    const watchdog = startWatchdog('exec "$1" kill "$2"', [this.sandbox.program, name]);
    return { ...containerLaunch(this.sandbox, request, name, process.env), watchdog };
  }

  watch(child: ChildProcess, launch: Launch): ConfinedCommand {
    return new ContainerCommand(this.sandbox.program, child, nameIn(launch), launch.watchdog);
  }
}

/** Variables that the program itself needs to reach its daemon. */
const passedOn = ['PATH', 'HOME', 'XDG_RUNTIME_DIR', 'DOCKER_HOST', 'DOCKER_CONTEXT', 'CONTAINER_HOST'];
/** Exit code of `docker run` and `podman run` if the container could not be started. */
const notStarted = 125;

/** Builds the command line that runs a command in a container of this name. */
export function containerLaunch(
  { program, image }: Container,
  request: CommandRequest,
  name: string,
  own: NodeJS.ProcessEnv,
): Launch {
  const { limits, network } = request;
  const variables = { HOME: '/tmp', TMPDIR: '/tmp', LANG: 'C.UTF-8', TERM: 'dumb', CI: 'true', ...request.env };
  const user = `${process.getuid?.() ?? 1000}:${process.getgid?.() ?? 1000}`;
  const args = [
    ...['run', '--rm', '--init', '--name', name, '--label', 'baton=command'],
    ...(network ? [] : ['--network', 'none']),
    ...['--memory', String(limits.memoryBytes), '--memory-swap', String(limits.memoryBytes)],
    ...['--pids-limit', String(limits.processes), '--ulimit', 'core=0', '--ulimit', `fsize=${limits.fileBytes}`],
    ...['--read-only', '--tmpfs', `/tmp:rw,exec,mode=1777,size=${limits.tmpBytes}`],
    ...['--cap-drop', 'ALL', '--security-opt', 'no-new-privileges', '--user', user],
    ...(program === 'podman' ? ['--userns', 'keep-id'] : []),
    ...['--mount', `type=bind,source=${request.folder},target=${workspaceMount}`],
    ...['--workdir', join(workspaceMount, request.cwd)],
    ...Object.entries(variables).flatMap(([variable, value]) => ['--env', `${variable}=${value}`]),
    ...['--pull', 'never', '--entrypoint', '/bin/sh', image, '-c', request.command],
  ];
  const env = Object.fromEntries(passedOn.flatMap((key) => (own[key] === undefined ? [] : [[key, own[key]]])));
  return { program, args, env };
}

function nameIn({ args }: Launch): string {
  return args[args.indexOf('--name') + 1] ?? '';
}

class ContainerCommand implements ConfinedCommand {
  constructor(
    private readonly program: Container['program'],
    private readonly child: ChildProcess,
    private readonly name: string,
    private readonly watchdog: Watchdog | undefined,
  ) {}

  terminate(): void {
    execFile(this.program, ['kill', '--signal', 'TERM', this.name], () => undefined);
  }

  async end(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null)
      await new Promise<void>((resolve) => {
        execFile(this.program, ['kill', this.name], { timeout: 10_000 }, () => {
          resolve();
        });
      });
    this.child.kill('SIGKILL');
    this.watchdog?.stop();
  }

  /** The container limits it. */
  measure(): CommandUse | undefined {
    return undefined;
  }

  startFailure(): string | undefined {
    return this.child.exitCode === notStarted ? `${this.program} could not start the container` : undefined;
  }
}

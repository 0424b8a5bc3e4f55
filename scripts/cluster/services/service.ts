import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { lastMeaningfulLines } from '../../../temporal-config/dev-server/server-log';

/** How a program that serves others is started. */
export interface ServicePlan {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Receives what it prints. */
  readonly logFile: string;
  /** User that it runs as. Default: the user of this process. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
  /** Signal that asks it to end. Default: SIGTERM. */
  readonly endsOn?: NodeJS.Signals;
  /** Whether it can be used. A rejection counts as no. */
  isReady(): Promise<boolean>;
}

const startLimitMs = 120_000;
const endLimitMs = 10_000;
/** A server that was killed may leave memory or sockets behind for a moment, which make its successor exit. */
const startAttempts = 5;

/** A server in a process of its own, which can be killed and started again on the same data. */
export class Service {
  private child: ChildProcess | undefined;

  constructor(private readonly plan: ServicePlan) {}

  get name(): string {
    return this.plan.name;
  }

  /** File with everything that it has printed. */
  get logFile(): string {
    return this.plan.logFile;
  }

  /** 0 while it does not run. */
  get pid(): number {
    return isRunning(this.child) ? (this.child.pid ?? 0) : 0;
  }

  /** Starts it, and returns when it can be used. */
  async start(): Promise<void> {
    const deadline = Date.now() + startLimitMs;
    for (let attempt = 1; ; attempt += 1) {
      this.child = await this.spawn();
      while (isRunning(this.child)) {
        if (await this.plan.isReady().catch(() => false)) return;
        if (Date.now() > deadline) throw await this.problem(`did not respond within ${startLimitMs / 1_000} s`);
        await sleep(50);
      }
      if (attempt === startAttempts || Date.now() > deadline) throw await this.problem('does not start');
      await sleep(1_000);
    }
  }

  /** Ends it without a chance to tidy up, like a crash. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  async stop(): Promise<void> {
    const late = setTimeout(() => void this.kill(), endLimitMs);
    await this.end(this.plan.endsOn ?? 'SIGTERM');
    clearTimeout(late);
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    const { child } = this;
    if (!isRunning(child)) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await gone;
  }

  private async spawn(): Promise<ChildProcess> {
    const { command, args, env, cwd, logFile, user } = this.plan;
    const log = await open(logFile, 'a', 0o600);
    try {
      const child = spawn(...endingWithParent(command, args), {
        cwd,
        env: { PATH: process.env['PATH'], ...env },
        // Its own process group, so that Ctrl-C reaches only the script, which then ends the services in order.
        detached: true,
        stdio: ['ignore', log.fd, log.fd],
        ...user,
      });
      child.once('error', () => undefined);
      return child;
    } finally {
      await log.close();
    }
  }

  private async problem(what: string): Promise<Error> {
    const output = await readFile(this.plan.logFile, 'utf8').catch(() => '');
    const words = lastMeaningfulLines(output).split('\n').slice(-3);
    return new Error([`${this.name} ${what}. Its last words:`, ...words.map((line) => line.slice(0, 300))].join('\n'));
  }
}

/**
 * Starts a service whose files are in a folder of its own. Returns what stops it and deletes the folder, which is also done if it
 * does not start.
 */
export async function startInFolder(service: Service, folder: string): Promise<() => Promise<void>> {
  const close = async (): Promise<void> => {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await service.start();
  } catch (error) {
    await close();
    throw error;
  }
  return close;
}

function isRunning(child: ChildProcess | undefined): child is ChildProcess {
  return child?.pid !== undefined && child.exitCode === null && child.signalCode === null;
}

const setpriv = '/usr/bin/setpriv';

/** Lets Linux end a service when this process is killed and can't do it itself. */
function endingWithParent(command: string, args: readonly string[]): [command: string, args: readonly string[]] {
  if (process.platform !== 'linux' || !existsSync(setpriv)) return [command, args];
  return [setpriv, ['--pdeathsig', 'KILL', '--', command, ...args]];
}

/** Temporal's schema keeps ports of its services in two signed bytes, and Linux gives higher ports to clients. */
const [lowestPort, highestPort] = [10_000, 32_767];

/** Returns ports of loopback that are free now, all different. */
export async function freePorts(count: number): Promise<number[]> {
  const found = new Set<number>();
  while (found.size < count) {
    const port = lowestPort + randomInt(highestPort - lowestPort);
    if (await isFree(port)) found.add(port);
  }
  return [...found];
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => {
      resolve(false);
    });
    probe.listen({ host: '127.0.0.1', port, exclusive: true }, () =>
      probe.close(() => {
        resolve(true);
      }),
    );
  });
}

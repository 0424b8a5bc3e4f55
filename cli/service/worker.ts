import { Command } from 'commander';
import { fork } from 'node:child_process';
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type CliContext, CliError, exitCodes } from '../context';
import { onStopSignal } from '../signals';
import { untilIdle } from './until-idle';

/** `baton worker`: runs a worker process. */
export function workerCommand(context: CliContext): Command {
  return new Command('worker')
    .description('run a worker in the foreground; Ctrl-C stops it, and other workers continue its work')
    .option(unsafeCommands.flags, unsafeCommands.description)
    .option('--mcp-config <file>', mcpConfigHelp)
    .option('--once', 'for jobs: exit when no run of the task queue has been open for 5 seconds')
    .option(
      '--health <address>',
      'serve /healthz and /readyz there, such as 127.0.0.1:8081 (default: $BATON_HEALTH_ADDRESS)',
    )
    .addHelpText('after', examples)
    .action(async ({ mcpConfig, once, health, ...options }: WorkerCommandOptions) => {
      // Check here, so that an invalid setting is reported in one line and not by the worker process.
      const { taskQueue } = context.settings();
      const env = {
        ...sandboxVariables(options),
        ...mcpEnvironment(mcpConfig),
        ...(health === undefined ? {} : { BATON_HEALTH_ADDRESS: health }),
      };
      const connected = await context.connect();
      try {
        const idle = once === true ? () => untilIdle(connected.client, taskQueue) : undefined;
        await untilStopped(startWorkerProcess({ env }), undefined, idle);
      } finally {
        await connected.close();
      }
    });
}

interface WorkerCommandOptions extends UnsafeOption {
  readonly mcpConfig?: string;
  readonly once?: true;
  readonly health?: string;
}

/** The option of every command that starts a worker which may run commands without a sandbox. */
export const unsafeCommands = {
  flags: '--unsafe-commands',
  description: 'run the commands of agents without a sandbox, because this machine is one (docs/commands.md)',
} as const;

/** The value of `unsafeCommands`. */
export interface UnsafeOption {
  readonly unsafeCommands?: boolean;
}

/** Returns the environment variables that tell a worker process about the option. */
export function sandboxVariables({ unsafeCommands: isUnsafe }: UnsafeOption): Record<string, string> {
  return isUnsafe === true ? { BATON_SANDBOX: 'unsafe' } : {};
}

export const mcpConfigHelp = 'JSON file with MCP servers (default: $BATON_MCP_CONFIG, or .mcp.json in this folder)';

/** Returns the environment of a worker with this file of MCP servers. Throws if the file does not exist. */
export function mcpEnvironment(file: string | undefined): Readonly<Record<string, string>> {
  if (file === undefined) return {};
  const path = resolve(file);
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === true) return { BATON_MCP_CONFIG: path };
  throw new CliError(exitCodes.misused, `The file ${file} does not exist.`, 'Pass a file such as .mcp.json.');
}

const examples = `
The worker needs a Temporal server: the one that "baton dev" runs in this folder, or the one at TEMPORAL_ADDRESS.

How much it does at the same time (slots), and the defaults:
  BATON_MODEL_SLOTS     model calls (100)
  BATON_TOOL_SLOTS      tools (100)
  BATON_CONTROL_SLOTS   everything else: opening runs, composing prompts, sharing sessions, importing folders (100)
  BATON_WORKFLOW_SLOTS  workflow tasks (40)
On SIGTERM or Ctrl-C it takes no more work, and what is in progress has BATON_SHUTDOWN_GRACE seconds (20) to end. A second
signal ends it at once.

"baton why" and "baton doctor" say when all slots of a kind are in use.

Examples:
  $ baton worker
  $ TEMPORAL_ADDRESS=temporal.example.com:7233 TEMPORAL_NAMESPACE=agents baton worker
  $ BATON_MODEL_SLOTS=300 baton worker
  $ baton worker --once                         # a job: works until no run is open
  $ BATON_DEPLOYMENT=agents baton worker        # versioned: docs/versioning.md
  $ BATON_SANDBOX=docker:node:22 baton worker   # where commands of agents run
`;

/** Forwards SIGINT and SIGTERM to the worker, even while it starts, and waits until the worker process has exited. */
export async function untilStopped(
  starting: Promise<WorkerProcess>,
  ready?: () => void | Promise<void>,
  done?: () => Promise<void>,
): Promise<void> {
  const stop = { requested: false };
  let releaseSecond = (): void => undefined;
  const kill = (signal: NodeJS.Signals): void => {
    stop.requested = true;
    void starting.then(
      (worker) => {
        worker.kill(signal);
      },
      () => undefined,
    );
  };
  const release = onStopSignal(() => {
    kill('SIGTERM');
    // Whoever asks twice doesn't want to wait for what is in progress.
    releaseSecond = onStopSignal(() => {
      kill('SIGKILL');
    });
  });
  try {
    const worker = await starting;
    if (!stop.requested) await ready?.();
    void done?.().then(() => {
      kill('SIGTERM');
    });
    const end = await worker.ended;
    if (!stop.requested && end !== 0)
      throw new CliError(exitCodes.failed, `The worker process exited unexpectedly (${end}).`);
  } catch (error) {
    // Ctrl-C reaches the worker process too. If it is not polling yet, it exits at once.
    if (!stop.requested) throw error;
  } finally {
    release();
    releaseSecond();
  }
}

/** A worker in a separate process. */
export interface WorkerProcess {
  readonly pid: number;
  kill(signal: NodeJS.Signals): void;
  /** Resolves with the exit code, or with the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

/** How to start a worker process. */
export interface WorkerProcessOptions {
  /** Environment variables in addition to those of this process. Default: none. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether the worker's log is shown only if it does not start. Default: false. */
  readonly isQuiet?: boolean;
  /** Program of a project that calls `runWorker`. Default: Baton's own worker. */
  readonly program?: string | undefined;
}

const ownProgram = join(__dirname, '..', '..', 'worker', 'main.js');

/** Starts a worker in a separate process, and waits until it polls. Throws a `CliError` if it exits before that. */
export async function startWorkerProcess(options: WorkerProcessOptions = {}): Promise<WorkerProcess> {
  const { env, isQuiet = false, program = ownProgram } = options;
  const child = fork(program, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', isQuiet ? 'pipe' : 'inherit', 'ipc'],
  });
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => (stderr = `${stderr}${chunk.toString('utf8')}`.slice(-4_000)));
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once('exit', (code, signal) => {
      resolve(code ?? signal ?? 1);
    });
  });
  const isReady = new Promise<'ready'>((resolve) => {
    child.once('message', () => {
      resolve('ready');
    });
  });
  const first = await Promise.race([isReady, ended]);
  if (first !== 'ready')
    throw new CliError(
      exitCodes.unavailable,
      `The worker did not start (${first}).${stderr === '' ? '' : `\n${stderr.trim()}`}`,
    );
  return { pid: child.pid ?? 0, kill: (signal) => void child.kill(signal), ended };
}

import { fork } from 'node:child_process';
import { join } from 'node:path';
import { CliError, exitCodes } from '../context';

/** A worker in a separate process. */
export interface WorkerProcess {
  readonly pid: number;
  kill(signal: NodeJS.Signals): void;
  /** Resolves with the exit code, or with the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

const main = join(__dirname, '..', '..', 'worker', 'main.js');

/** Starts a worker in a separate process, and waits until it polls. Throws a `CliError` if it exits before that. */
export async function startWorkerProcess(
  env: Readonly<Record<string, string>> = {},
  quiet = false,
): Promise<WorkerProcess> {
  const child = fork(main, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', quiet ? 'pipe' : 'inherit', 'ipc'],
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

import { Command } from 'commander';
import { CliError, exitCodes } from '../context';
import type { CliContext } from '../context-merging';
import { onStopSignal } from '../signals';
import { startWorkerProcess, type WorkerProcess } from './worker-process';

/** `baton worker`: runs a worker process. */
export function workerCommand(context: CliContext): Command {
  return new Command('worker')
    .description('run a worker in the foreground; Ctrl-C stops it, and other workers continue its work')
    .addHelpText('after', examples)
    .action(async () => {
      // Check here, so that an invalid setting is reported in one line and not by the worker process.
      context.settings();
      await (await context.connect()).close();
      await untilStopped(startWorkerProcess());
    });
}

const examples = `
The worker needs a Temporal server: the one that "baton dev" runs in this folder, or the one at TEMPORAL_ADDRESS.

Examples:
  $ baton worker
  $ TEMPORAL_ADDRESS=temporal.example.com:7233 TEMPORAL_NAMESPACE=agents baton worker
`;

/** Forwards SIGINT and SIGTERM to the worker, even while it starts, and waits until the worker process has exited. */
export async function untilStopped(starting: Promise<WorkerProcess>, ready?: () => void): Promise<void> {
  const stop = { requested: false };
  const release = onStopSignal(() => {
    stop.requested = true;
    void starting.then(
      (worker) => {
        worker.kill('SIGTERM');
      },
      () => undefined,
    );
  });
  try {
    const worker = await starting;
    if (!stop.requested) ready?.();
    const end = await worker.ended;
    if (!stop.requested && end !== 0)
      throw new CliError(exitCodes.failed, `The worker process exited unexpectedly (${end}).`);
  } catch (error) {
    // Ctrl-C reaches the worker process too. If it is not polling yet, it exits at once.
    if (!stop.requested) throw error;
  } finally {
    release();
  }
}

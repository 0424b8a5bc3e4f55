import { Command } from 'commander';
import { CliError, exitCodes } from '../cli';
import type { CliContext } from '../context';
import { onStopSignal } from '../signals';
import { startWorkerProcess, type WorkerProcess } from '../worker-process';

export function workerCommand(context: CliContext): Command {
  return new Command('worker')
    .description('run a worker in the foreground; Ctrl-C stops it, and what it was doing goes on elsewhere')
    .addHelpText('after', examples)
    .action(async () => {
      // A wrong setting should be told by this process, in a line, not by the worker it starts.
      context.settings();
      await (await context.connect()).close();
      await untilStopped(startWorkerProcess());
    });
}

const examples = `
The worker needs a Temporal server: the one that "baton dev" runs in this folder, or one named by TEMPORAL_ADDRESS.

Examples:
  $ baton worker
  $ TEMPORAL_ADDRESS=temporal.example.com:7233 TEMPORAL_NAMESPACE=agents baton worker
`;

/** Passes SIGINT and SIGTERM on to the worker, from its start on, and waits for it to have handed over. */
export async function untilStopped(starting: Promise<WorkerProcess>, ready?: () => void): Promise<void> {
  const stop = { asked: false };
  const release = onStopSignal(() => {
    stop.asked = true;
    void starting.then(
      (worker) => {
        worker.kill('SIGTERM');
      },
      () => undefined,
    );
  });
  try {
    const worker = await starting;
    if (!stop.asked) ready?.();
    const end = await worker.ended;
    if (!stop.asked && end !== 0) throw new CliError(exitCodes.failed, `The worker ended by itself (${end}).`);
  } catch (error) {
    // Ctrl-C reaches the worker too, and one that hasn't begun to work ends without further ado.
    if (!stop.asked) throw error;
  } finally {
    release();
  }
}

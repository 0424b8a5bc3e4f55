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
      await untilStopped(await startWorkerProcess());
    });
}

const examples = `
The worker needs a Temporal server: the one that "baton dev" runs in this folder, or one named by TEMPORAL_ADDRESS.

Examples:
  $ baton worker
  $ TEMPORAL_ADDRESS=temporal.example.com:7233 TEMPORAL_NAMESPACE=agents baton worker
`;

/** Passes SIGINT and SIGTERM on to the worker, and waits for it to have handed over. */
export async function untilStopped(worker: WorkerProcess): Promise<void> {
  let stopping = false;
  const release = onStopSignal(() => {
    stopping = true;
    worker.kill('SIGTERM');
  });
  try {
    const end = await worker.ended;
    if (!stopping && end !== 0) throw new CliError(exitCodes.failed, `The worker ended by itself (${end}).`);
  } finally {
    release();
  }
}

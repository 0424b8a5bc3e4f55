import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { testAddress, type Harness } from './harness';

/** Starts a worker for the harness's runs in a process of its own; resolves once it takes work. */
export async function forkWorker(harness: Harness, faults: { dieAfterAnswers?: number } = {}): Promise<ChildProcess> {
  const plan = {
    address: testAddress(),
    taskQueue: harness.taskQueue,
    storeDir: join(harness.folder, 'store'),
    modelUrl: harness.model.baseUrl,
    ...faults,
  };
  const child = fork(join(__dirname, 'process', 'worker.ts'), [JSON.stringify(plan)], {
    execArgv: ['-r', join(__dirname, 'process', 'typescript-hook.js')],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  await once(child, 'message');
  return child;
}

/** Ends the process at once, as a crash would, and waits until it is gone. */
export async function kill(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}

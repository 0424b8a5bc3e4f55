import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { testAddress, type Harness } from './harness';
import { typescriptHook } from './paths';

export interface WorkerFaults {
  /** Dies as by SIGKILL once it has journaled this many answers, before the activity can report. */
  readonly dieAfterAnswers?: number;
  /** Of the answers to its Updates every other one. */
  readonly losesAnswers?: boolean;
}

/** Starts a worker for the harness's runs in a process of its own; resolves once it takes work. */
export async function forkWorker(harness: Harness, faults: WorkerFaults = {}): Promise<ChildProcess> {
  const plan = {
    address: testAddress(),
    taskQueue: harness.taskQueue,
    storeDir: join(harness.folder, 'store'),
    modelUrl: harness.model.baseUrl,
    ...faults,
  };
  const child = fork(join(__dirname, 'process', 'worker.ts'), [JSON.stringify(plan)], {
    execArgv: ['-r', typescriptHook],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  await once(child, 'message');
  return child;
}

/** Forks workers for the tests around it, none of which outlives its test. */
export function workersOfEachTest(harness: () => Harness): (faults?: WorkerFaults) => Promise<ChildProcess> {
  let workers: ChildProcess[] = [];
  afterEach(async () => {
    await Promise.all(workers.map((worker) => kill(worker)));
    workers = [];
  });
  return async (faults) => {
    const worker = await forkWorker(harness(), faults);
    workers.push(worker);
    return worker;
  };
}

/** Ends the process at once, as a crash would, and waits until it is gone. */
export async function kill(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}

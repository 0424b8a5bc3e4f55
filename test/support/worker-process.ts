import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { ModelLimits } from '../../domain/limit';
import type { McpServerEntry } from '../../domain/mcp';
import type { WorkerPollers } from '../../temporal-config/task-queues';
import type { CommandOptions } from '../../worker';
import { testAddress, type Harness } from './harness';
import { typescriptHook } from './paths';

export interface WorkerFaults {
  /** Kill the process once it has journaled this many replies, before the activity can report. */
  readonly dieAfterAnswers?: number;
  /** Kill the process when it has received a reply, before this call to the file system, from 0. */
  readonly dieAtCall?: number;
  /** Kill the process before or after it writes this record of a model call, counted from 0, to the journal. */
  readonly dieAtRecord?: {
    readonly kind: 'answer' | 'turn';
    readonly call: number;
    readonly when: 'before' | 'after';
  };
  /** Send a signal to the process before or after its first Update: it dies, or stalls until it is continued. */
  readonly atUpdate?: { readonly when: 'before' | 'after'; readonly signal: 'SIGKILL' | 'SIGSTOP' };
  /** Lose every other response to its Updates. */
  readonly losesAnswers?: boolean;
  /** Address of a booking server, for which the worker gets a tool. */
  readonly bookingUrl?: string;
  /** MCP servers of the worker. */
  readonly mcpServers?: Readonly<Record<string, McpServerEntry>>;
  /** Limits of providers. */
  readonly limits?: ModelLimits;
  /** How many requests for tasks it keeps open. */
  readonly pollers?: WorkerPollers;
  /** How it runs commands. */
  readonly commands?: CommandOptions;
}

/** Starts a worker for the harness's runs in a separate process; resolves once it is polling. */
export async function forkWorker(harness: Harness, faults: WorkerFaults = {}): Promise<ChildProcess> {
  const plan = {
    address: testAddress(),
    taskQueue: harness.taskQueue,
    storeDir: join(harness.folder, 'store'),
    modelUrl: harness.model.baseUrl,
    chatUrl: harness.model.chatBaseUrl,
    ...faults,
  };
  const child = fork(join(__dirname, 'process', 'worker.ts'), [JSON.stringify(plan)], {
    // With the options of this process: most of its code runs too briefly to be optimized.
    execArgv: [...process.execArgv, '-r', typescriptHook],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  await once(child, 'message');
  return child;
}

/** Starts worker processes for the surrounding tests, and ends them after each test. */
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

/** Kills the process at once, like a crash, and waits until it has exited. */
export async function kill(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}

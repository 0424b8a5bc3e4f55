import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Harness } from './harness';
import { testAddress } from './harness';
import { workerMain } from './paths';

/** Starts the worker as a user does, because a process has only one runtime with metrics. */
export async function startTracedWorker(
  harness: Harness,
  env: Readonly<Record<string, string>>,
): Promise<ChildProcess> {
  const child = fork(workerMain, {
    env: {
      ...process.env,
      TEMPORAL_ADDRESS: testAddress(),
      BATON_TASK_QUEUE: harness.taskQueue,
      BATON_STATE_DIR: harness.folder,
      BATON_STORE_DIR: join(harness.folder, 'store'),
      ANTHROPIC_API_KEY: 'scripted',
      ANTHROPIC_BASE_URL: harness.model.baseUrl,
      ...env,
    },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
  const [first] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as unknown[];
  if (first !== 'ready') throw new Error(`The worker did not start: ${said}`);
  return child;
}

import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { testAddress, type Harness } from './harness';

/** Starts a worker that loses every other answer to its Updates; resolves once it takes work. */
export async function forkForgetfulWorker(harness: Harness): Promise<ChildProcess> {
  const plan = {
    address: testAddress(),
    taskQueue: harness.taskQueue,
    storeDir: join(harness.folder, 'store'),
    modelUrl: harness.model.baseUrl,
  };
  const child = fork(join(__dirname, 'process', 'forgetful-worker.ts'), [JSON.stringify(plan)], {
    execArgv: ['-r', join(__dirname, 'process', 'typescript-hook.js')],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  await once(child, 'message');
  return child;
}

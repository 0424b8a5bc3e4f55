import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, makeTelemetryFilterString, NativeConnection, Runtime } from '@temporalio/worker';
import { createAnthropicModel } from '../../../activities/model/anthropic-model';
import type { RunStore, Store } from '../../../domain/store';
import { openFileStore } from '../../../store/file/open-file-store';
import { createBatonWorker } from '../../../worker/create-worker';
import { workflowBundle } from '../paths';
import type { WorkerFaults } from '../worker-process';
import { forgetful } from './forgetful-client';

/** A worker in a process that can be killed, optionally at a chosen moment. */
interface WorkerPlan extends WorkerFaults {
  readonly address: string;
  readonly taskQueue: string;
  readonly storeDir: string;
  readonly modelUrl: string;
}

function dying(store: Store, answers: number): Store {
  let left = answers;
  const wrap = (run: RunStore): RunStore => ({
    runId: run.runId,
    put: (bytes, mediaType) => run.put(bytes, mediaType),
    get: (ref, neededBy) => run.get(ref, neededBy),
    has: (ref) => run.has(ref),
    find: (key) => run.find(key),
    verify: () => run.verify(),
    async putIfAbsent(key, bytes) {
      const winner = await run.putIfAbsent(key, bytes);
      // Prompt records are journaled too, but are not replies.
      if (key.startsWith('call/')) left -= 1;
      if (left === 0) process.kill(process.pid, 'SIGKILL');
      return winner;
    },
  });
  return {
    id: store.id,
    forRun: (id) => wrap(store.forRun(id)),
    listRuns: () => store.listRuns(),
    deleteRun: (id, confirm) => store.deleteRun(id, confirm),
  };
}

async function main(plan: WorkerPlan): Promise<void> {
  Runtime.install({
    logger: new DefaultLogger('ERROR'),
    telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }) } },
  });
  const store = await openFileStore(plan.storeDir);
  const client = new Client({ connection: await Connection.connect({ address: plan.address }) });
  const worker = await createBatonWorker({
    connection: await NativeConnection.connect({ address: plan.address }),
    client: plan.losesAnswers === true ? forgetful(client) : client,
    namespace: 'default',
    taskQueue: plan.taskQueue,
    store: plan.dieAfterAnswers === undefined ? store : dying(store, plan.dieAfterAnswers),
    model: createAnthropicModel({ apiKey: 'scripted', baseUrl: plan.modelUrl }),
    searchAttributes: true,
    stickyTimeoutMs: 500,
    workflowBundlePath: workflowBundle.codePath,
  });
  const running = worker.run();
  process.send?.('ready');
  await running;
  process.exit(0);
}

void main(JSON.parse(process.argv[2] ?? '{}') as WorkerPlan);

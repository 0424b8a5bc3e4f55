import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, makeTelemetryFilterString, NativeConnection, Runtime } from '@temporalio/worker';
import { createAnthropicModel } from '../../../activities/model/anthropic-model';
import { openFileStore } from '../../../store/file/open-file-store';
import { createBatonWorker } from '../../../worker/create-worker';
import { oddServer } from '../../support/mcp/servers';
import { workflowBundle } from '../../support/paths';
import { losingAnswers } from '../../support/process/faulty-client';
import { chaosServer } from '../tree/uses';
import { chaosSkills } from './skill';
import { StallWatch } from './stalls';
import { TroubledFiles } from './troubled-files';
import type { ChaosWorkerPlan, WorkerMessage, WorkerOrder, WorkerReport } from './worker-plan';

// A worker in a process of its own, which can be killed, stopped, cut off, and given orders.

const say = (message: WorkerMessage): unknown => process.send?.(message);

const stalls = new StallWatch();

/** How this worker is. The process runs with `--expose-gc`. */
function report(): WorkerReport {
  // Before the collection, which is a stall too.
  const longestStallMs = stalls.take();
  globalThis.gc?.();
  return { longestStallMs, heapBytes: process.memoryUsage().heapUsed };
}

/** Connects, and tries again for some minutes: a busy machine may take longer than the SDK waits. */
async function connected<T>(connect: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await connect();
    } catch (error) {
      if (tries === 20) throw error;
    }
  }
}

async function main(plan: ChaosWorkerPlan): Promise<void> {
  // The process that started it was killed.
  process.on('disconnect', () => process.exit(1));
  Runtime.install({
    logger: new DefaultLogger('WARN'),
    telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }) } },
  });
  const disk = new TroubledFiles();
  const delivery = { losesAnswers: false };
  const connection = await connected(() => Connection.connect({ address: plan.address }));
  const worker = await createBatonWorker({
    connection: await connected(() => NativeConnection.connect({ address: plan.address })),
    client: losingAnswers(new Client({ connection }), () => delivery.losesAnswers),
    namespace: 'default',
    taskQueue: plan.taskQueue,
    store: await openFileStore(plan.storeDir, { files: disk.files }),
    // A provider that hangs is given up after seconds instead of minutes.
    model: createAnthropicModel({ apiKey: 'scripted', baseUrl: plan.modelUrl, idleTimeoutMs: 4_000 }),
    searchAttributes: true,
    stickyTimeoutMs: 1_000,
    workflowBundlePath: workflowBundle.codePath,
    skills: chaosSkills(plan.hasCommands),
    mcpServers: { [chaosServer]: oddServer({ CHAOS_STORE: plan.storeDir }) },
    commands: { scratchDir: plan.scratchDir },
  });
  process.on('message', (order: WorkerOrder) => {
    if (order.order === 'store') disk.trouble = order.trouble;
    else if (order.order === 'lose-answers') delivery.losesAnswers = order.loses;
    else say(report());
  });
  const running = worker.run();
  say({ ready: true });
  await running;
  process.exit(0);
}

void main(JSON.parse(process.argv[2] ?? '{}') as ChaosWorkerPlan);

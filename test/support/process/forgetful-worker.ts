import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, makeTelemetryFilterString, NativeConnection, Runtime } from '@temporalio/worker';
import { createAnthropicModel } from '../../../activities/adapters/anthropic-model';
import { openFileStore } from '../../../store/file-store/open-file-store';
import { createBatonWorker } from '../../../worker/create-worker';
import { workflowBundle } from '../paths';

/** A worker that loses the answers to its Updates: every other one, after it has been carried out. */
interface ForgetfulPlan {
  readonly address: string;
  readonly taskQueue: string;
  readonly storeDir: string;
  readonly modelUrl: string;
}

function forgetful(client: Client): Client {
  let answers = 0;
  const getHandle = (workflowId: string): unknown => {
    const handle = client.workflow.getHandle(workflowId);
    const executeUpdate = async (name: string, options: { args: [unknown] }): Promise<unknown> => {
      const answer: unknown = await handle.executeUpdate(name, options);
      answers += 1;
      if (answers % 2 === 1) throw new Error('The answer was lost');
      return answer;
    };
    return new Proxy(handle, {
      get: (target, key) => (key === 'executeUpdate' ? executeUpdate : (Reflect.get(target, key) as unknown)),
    });
  };
  const workflow = new Proxy(client.workflow, {
    get: (target, key) => (key === 'getHandle' ? getHandle : (Reflect.get(target, key) as unknown)),
  });
  return new Proxy(client, {
    get: (target, key) => (key === 'workflow' ? workflow : (Reflect.get(target, key) as unknown)),
  });
}

async function main(plan: ForgetfulPlan): Promise<void> {
  Runtime.install({
    logger: new DefaultLogger('ERROR'),
    telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }) } },
  });
  const worker = await createBatonWorker({
    connection: await NativeConnection.connect({ address: plan.address }),
    client: forgetful(new Client({ connection: await Connection.connect({ address: plan.address }) })),
    namespace: 'default',
    taskQueue: plan.taskQueue,
    store: await openFileStore(plan.storeDir),
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

void main(JSON.parse(process.argv[2] ?? '{}') as ForgetfulPlan);

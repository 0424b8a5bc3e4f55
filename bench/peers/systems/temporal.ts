// What both of Temporal's plugins share: a worker with the plugin and otherwise the SDK's defaults.
import { Client, Connection, type ClientPlugin } from '@temporalio/client';
import {
  DefaultLogger,
  NativeConnection,
  Runtime,
  Worker,
  type WorkerOptions,
  type WorkerPlugin,
} from '@temporalio/worker';
import type { Place, System } from '../system';
import { childGoals, makeNoise, type NoiseInput } from '../work';

interface TemporalAgents {
  readonly taskQueue: string;
  readonly workflowsPath: string;
  readonly plugin: WorkerPlugin & ClientPlugin;
}

/**
 * The packages of the OpenAI Agents SDK contain dynamic imports. Webpack would load them as scripts of a browser, which the
 * sandbox of workflows is not.
 */
const bundlerOptions: NonNullable<WorkerOptions['bundlerOptions']> = {
  webpackConfigHook: (config) => ({
    ...config,
    module: { ...config.module, parser: { javascript: { dynamicImportMode: 'eager' } } },
  }),
};

/** Opens a system whose workflows are `agent(goal)` and `parent(goals)`. */
export async function openTemporal(
  { temporal: address, folder }: Place,
  { taskQueue, workflowsPath, plugin }: TemporalAgents,
): Promise<System> {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const connection = await NativeConnection.connect({ address });
  const worker = await Worker.create({
    connection,
    taskQueue,
    workflowsPath,
    bundlerOptions,
    plugins: [plugin],
    activities: { make_noise: (input: NoiseInput) => makeNoise(input, folder) },
  });
  const ended = worker.run();
  const client = new Client({ connection: await Connection.connect({ address }), plugins: [plugin] });
  const execute = async (workflow: string, workflowId: string, args: unknown[]): Promise<void> => {
    await client.workflow.execute(workflow, { taskQueue, workflowId, args });
  };
  return {
    run: (id, goal) => execute('agent', id, [goal]),
    delegate: (id, children) => execute('parent', id, [childGoals(children)]),
    finish: async (id) => {
      await client.workflow.getHandle(id).result();
    },
    stored: async (id) => ({ history: (await client.workflow.getHandle(id).describe()).historySize ?? 0 }),
    async close() {
      worker.shutdown();
      await ended;
      await client.connection.close();
      await connection.close();
    },
  };
}

import {
  bundleWorkflowCode,
  DefaultLogger,
  type NativeConnection,
  Worker,
  type WorkerOptions,
} from '@temporalio/worker';
import { delegationWorkflowContract } from '../../../domain/delegation';
import { runWorkflowId } from '../../../domain/kernel';
import { say, scriptByTurn, useTool } from '../../../testing/scripted-model';
import { BatonPlugin, type BatonPluginOptions, connectWorker, createAnthropicModel } from '../../../worker';
import { Harness, testAddress } from '../../support/harness';
import { historiesOf } from '../../support/replay';

const activities = {
  loadOrder: (id: string): Promise<string> => Promise.resolve(`order ${id}`),
  failOften: (text: string): Promise<never> =>
    Promise.reject(new Error(`errors of the team's activities stay ${text}`)),
};

describe("a team's own worker with BatonPlugin", () => {
  let harness: Harness;
  let connection: NativeConnection;
  beforeAll(async () => {
    const address = testAddress();
    harness = await Harness.start(
      scriptByTurn(useTool('add_note', { text: 'It is large.', kind: 'finding' }), say('ship')),
      { withWorker: false },
    );
    connection = await connectWorker({
      kind: 'configured',
      connectionOptions: { address },
      namespace: 'default',
      describe: address,
    });
  });
  afterAll(async () => {
    await connection.close();
    await harness.close();
  });

  const plugin = (more: Partial<BatonPluginOptions> = {}): BatonPlugin =>
    new BatonPlugin({
      ...more,
      client: harness.client,
      store: harness.store,
      model: createAnthropicModel({ apiKey: 'scripted', baseUrl: harness.model.baseUrl }),
    });
  const create = (more: Partial<WorkerOptions>): Promise<Worker> =>
    Worker.create({ connection, taskQueue: harness.taskQueue, activities, ...more });

  test('runs an agent beside its own workflows and activities, and replays both', async () => {
    const baton = plugin();
    const workflowBundle = await bundleWorkflowCode({
      workflowsPath: require.resolve('./team-workflows'),
      logger: new DefaultLogger('ERROR'),
      plugins: [baton],
    });
    const worker = await create({ workflowBundle, plugins: [baton] });
    const { taskQueue } = harness;
    const workflowId = `check-${taskQueue}`;
    const runId = `order-${taskQueue}`;
    const result: unknown = await worker.runUntil(
      harness.client.workflow.execute('checkOrder', { workflowId, taskQueue, args: ['7', runId] }),
    );
    expect(result).toBe(`${taskQueue}: ship, errors of the team's activities stay as they were`);
    expect(worker.getState()).toBe('STOPPED');
    const histories = await historiesOf(harness.client, workflowId);
    expect(histories.map((each) => each.workflowId)).toEqual([workflowId, runWorkflowId(runId)]);
    for (const { workflowId: id, history } of histories)
      await Worker.runReplayHistory({ workflowBundle, plugins: [plugin()] }, history, id);
  });

  test('belongs to the deployment that the plugin names, unless it names one itself', async () => {
    const { taskQueue } = harness;
    const bundled = { taskQueue, workflowBundle: { code: `exports.${delegationWorkflowContract.name} = 1;` } };
    const versionOf = async (deployment: { name: string; buildId?: string }, given: WorkerOptions): Promise<unknown> =>
      (await plugin({ deployment }).configureWorker(given)).workerDeploymentOptions;
    expect(await versionOf({ name: 'orders' }, bundled)).toEqual({
      version: { deploymentName: 'orders', buildId: expect.stringMatching(/^[0-9a-z]{5}$/) as unknown },
      useWorkerVersioning: true,
      defaultVersioningBehavior: 'PINNED',
    });
    const own = { version: { deploymentName: 'theirs', buildId: '1' }, useWorkerVersioning: false as const };
    expect(await versionOf({ name: 'orders' }, { ...bundled, workerDeploymentOptions: own })).toBe(own);
    const unbundled = { taskQueue, workflowsPath: require.resolve('./team-workflows') };
    expect(await versionOf({ name: 'orders', buildId: '7' }, unbundled)).toMatchObject({
      version: { deploymentName: 'orders', buildId: '7' },
    });
    await expect(versionOf({ name: 'orders' }, unbundled)).rejects.toThrow(/deployment\.buildId: it is missing/);
  });

  test("is refused if it can't work: a bundle without Baton, a second worker, an activity of Baton's name", async () => {
    const bare = { code: 'exports.importWorkflows = () => ({});' };
    await expect(create({ workflowBundle: bare, plugins: [plugin()] })).rejects.toThrow(
      /it does not contain Baton's workflows.*bundleWorkflowCode/,
    );
    const named = { ...activities, runTurn: activities.loadOrder };
    await expect(create({ activities: named, plugins: [plugin()] })).rejects.toThrow(
      /both your worker and Baton have "runTurn"/,
    );
    const used = plugin();
    await (await create({ plugins: [used] })).runUntil(Promise.resolve());
    await expect(create({ plugins: [used] })).rejects.toThrow(/a BatonPlugin belongs to one worker/);
  });
});

import { NativeConnection } from '@temporalio/worker';
import { adviceFor } from '../../../cli/service/versions';
import { readDeployment, setCurrentVersion } from '../../../client/version/versions';
import { createGate, delegationDepth, say, type Script, useTool } from '../../../testing/scripted-model';
import { type BatonWorker, createAnthropicModel, createBatonWorker } from '../../../worker';
import { batonInProcess } from '../../cli/support/in-process';
import { bundleOnce } from '../../support/bundle-once';
import { dispatch } from '../../support/delegation-script';
import { expectScreen } from '../../support/doc-screens';
import { handingOver, handoffsBefore } from '../../support/handoffs';
import { Harness, type RunHandle, testAddress } from '../../support/harness';
import { workflowBundle } from '../../support/paths';
import { historiesOf } from '../../support/replay';
import { until } from '../../support/until';

const note = useTool('add_note', { text: 'It works.', kind: 'finding' });

describe('two versions of the workers of one deployment', () => {
  let harness: Harness;
  let connection: NativeConnection;
  const workers: { readonly worker: BatonWorker; readonly ended: Promise<void> }[] = [];
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'), { withWorker: false });
    connection = await NativeConnection.connect({ address: testAddress() });
  });
  afterAll(async () => {
    for (const { worker } of workers) worker.shutdown();
    await Promise.all(workers.map(({ ended }) => ended));
    await connection.close();
    await harness.close();
  });

  const startVersion = async (buildId: string, workflowBundlePath: string): Promise<void> => {
    const { client, store, taskQueue, model } = harness;
    const worker = await createBatonWorker({
      connection,
      client,
      namespace: 'default',
      store,
      taskQueue,
      workflowBundlePath,
      model: createAnthropicModel({ apiKey: 'scripted', baseUrl: model.baseUrl }),
      deployment: { name: taskQueue, buildId },
    });
    workers.push({ worker, ended: worker.run() });
  };
  /** The server knows a version only some moments after its worker has begun to poll. */
  const makeCurrent = (buildId: string): Promise<boolean> =>
    until(() =>
      setCurrentVersion(harness.client, harness.taskQueue, buildId).then(
        () => true,
        () => undefined,
      ),
    );
  const versionsOf = async ({ workflowId, firstExecutionRunId }: RunHandle): Promise<unknown[]> => {
    const histories = await historiesOf(harness.client, workflowId, firstExecutionRunId);
    return histories.map(({ history }) => {
      const ends = (history.events ?? []).map((event) => event.workflowTaskCompletedEventAttributes);
      return [...new Set(ends.flatMap((end) => end?.deploymentVersion?.buildId ?? []))].join();
    });
  };

  test('finish old runs on the old one, begin new runs on the new one, move at a continuation and at a handoff, and go back', async () => {
    const gate = createGate();
    const script: Script = async (call) => {
      if (delegationDepth(call) > 0) return say('the child is done');
      const about = `${call.systemText} ${call.firstUserText}`;
      const waits = !about.includes('at once');
      if (waits && call.turn === 0 && handoffsBefore(call) === 0) await gate.opened;
      if (about.includes('hands over') && handoffsBefore(call) > 0) return say('done after a handoff');
      if (about.includes('hands over'))
        return useTool('write_artifact', { name: `${call.turn}.md`, content: `${call.turn} `.repeat(15_000) });
      if (waits && call.turn === 0) return note;
      if (call.turn > 1 || !waits) return say('done');
      return about.includes('delegates') ? useTool('dispatch_subagent', dispatch()) : note;
    };
    harness.model.setScript(handingOver(script));
    await startVersion('old', workflowBundle.codePath);
    await makeCurrent('old');
    const stays = await harness.startRun({ goal: `${harness.taskQueue} delegates` });
    const moves = await harness.startRun({
      goal: `${harness.taskQueue} continues as new`,
      tuning: { turnsPerExecution: 2, heartbeatTimeoutMs: 2_000 },
    });
    // What it writes fills its small window in a few turns.
    const hands = await harness.startRun({
      goal: `${harness.taskQueue} hands over`,
      model: { name: 'claude-sonnet-5-5', maxTokens: 1_000, window: 20_000 },
    });
    await until(() => (harness.model.calls.length >= 3 ? true : undefined));
    const { codePath } = await bundleOnce(require.resolve('../../../examples/own-tools/workflows'));
    await startVersion('new', codePath);
    await makeCurrent('new');
    const begun = await harness.startRun({ goal: `${harness.taskQueue} answers at once` });
    await begun.result();
    const { versions } = await readDeployment(harness.client, harness.taskQueue, harness.taskQueue);
    const states = Object.fromEntries(
      versions.map(({ buildId, status, workers: polling }) => [buildId, [status, polling]]),
    );
    expect(states).toEqual({ new: ['current', 1], old: ['draining', 1] });
    expect(adviceFor(versions)).toEqual([]);
    gate.open();
    const [, , handedOver] = await Promise.all([stays.result(), moves.result(), hands.result()]);
    expect(await versionsOf(begun)).toEqual(['new']);
    // The run and its delegation.
    expect(await versionsOf(stays)).toEqual(['old', 'old']);
    expect(await versionsOf(moves)).toEqual(['old', 'new']);
    expect(handedOver.answer).toEqual({ text: 'done after a handoff' });
    expect(await versionsOf(hands)).toEqual(['old', 'new']);
    const command = ['versions', 'set-current', 'old', '--deployment', harness.taskQueue];
    const { stdout } = await batonInProcess({ client: harness.client, folder: harness.folder, env: {} }, command);
    const [old, other, name] = ['0f3ab', 'x7k2q', 'agents'];
    const text = stdout.replace('old', old).replace('new', other).replace(harness.taskQueue, name);
    await expectScreen('versioning.md', 'set-current', `   $ baton versions set-current ${old}\n   ${text}`);
    const back = await harness.startRun({ goal: `${harness.taskQueue} answers at once again` });
    await back.result();
    expect(await versionsOf(back)).toEqual(['old']);
  });
});

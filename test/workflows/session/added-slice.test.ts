import { DeterminismViolationError } from '@temporalio/workflow';
import { NativeConnection, Worker } from '@temporalio/worker';
import { reportRiskTool } from '../../../examples/own-tools/report-risk';
import { risksSlice } from '../../../examples/own-tools/risks';
import { notesSlice, recordsOf, type SnapshotPayload } from '../../../domain/session';
import {
  createGate,
  type Gate,
  say,
  scriptByTurn,
  type ScriptedCall,
  type Script,
  useTool,
  useTools,
} from '../../../testing/scripted-model';
import { TestWorker } from '../../../testing/test-worker';
import type { SessionWorkflow } from '../../../workflows/session/session-workflow';
import { batch, delegationsOf, reasonOf, sessionOf } from '../../support/batches';
import { bundleOnce } from '../../support/bundle-once';
import { byDepth, dispatch } from '../../support/delegation-script';
import { Harness, type RunHandle, testAddress } from '../../support/harness';
import { workflowBundle } from '../../support/paths';
import { historiesOf } from '../../support/replay';
import { until } from '../../support/until';

const risk = (id: string): Record<string, string> => ({ id, text: `Risk ${id}`, severity: 'low' });
const workflowsPath = require.resolve('../../../examples/own-tools/workflows');

describe('a worker with one more slice on the same task queue', () => {
  let harness: Harness;
  let connection: NativeConnection;
  let newer: TestWorker;
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'), {
      replayed: false,
      withWorker: false,
      tools: [reportRiskTool],
    });
    connection = await NativeConnection.connect({ address: testAddress() });
    const { client, store, taskQueue, model } = harness;
    const common = { client, connection, store, taskQueue, namespace: 'default', tools: [reportRiskTool] };
    const { codePath } = await bundleOnce(workflowsPath);
    newer = new TestWorker({ ...common, workflowBundlePath: codePath }, model);
  });
  afterEach(async () => {
    await newer.stop();
    await harness.stopWorker();
  });
  afterAll(async () => {
    await harness.close();
    await connection.close();
  });

  const risksOf = async (workflowId: string): Promise<string[]> =>
    recordsOf(await sessionOf(harness.client, workflowId), risksSlice)
      .map(({ id }) => id)
      .sort();

  test('completes a run with shared and isolated children in flight, which use the slice from then on', async () => {
    const { root, child, inFlight, swapped } = riskReporters();
    harness.model.setScript(byDepth(root, child));
    await harness.startWorker();
    const run = await harness.startRun();
    await Promise.all(inFlight.map(({ opened }) => opened));
    await harness.stopWorker();
    await newer.start();
    swapped.open();
    expect(await run.result()).toMatchObject({ answer: { text: 'Done.' } });

    // Reporting a risk was refused before the slice existed, and stays refused when that is replayed.
    expect(await risksOf(run.workflowId)).toEqual(['R1', 'R2', 'R4']);
    const notes = recordsOf(await sessionOf(harness.client, run.workflowId), notesSlice).map(({ text }) => text);
    expect(notes.sort()).toEqual(['Note of A.', 'Note of B.']);
    const children = await delegationsOf(harness.client, run, 3);
    const own = await Promise.all(children.map(({ workflowId }) => risksOf(workflowId)));
    expect(own).toContainEqual(['R3']);
    await replayWithBoth(run);
  });

  /** With the slice, everything replays. Without it, executions that used it do not, instead of losing records. */
  async function replayWithBoth(run: RunHandle): Promise<void> {
    const newBundle = await bundleOnce(workflowsPath);
    const executions = await historiesOf(harness.client, run.workflowId, run.firstExecutionRunId);
    expect(executions).toHaveLength(5);
    for (const { workflowId, history } of executions)
      await Worker.runReplayHistory({ workflowBundle: newBundle }, history, workflowId);
    const replayWithout = (isWanted: (id: string) => boolean): Promise<void> => {
      const { workflowId, history } = executions.find((execution) => isWanted(execution.workflowId))!;
      return Worker.runReplayHistory({ workflowBundle }, history, workflowId);
    };
    await expect(replayWithout((id) => id.includes('/session-'))).rejects.toThrow(DeterminismViolationError);
    await expect(replayWithout((id) => id === run.workflowId)).rejects.toThrow(/this worker has no such slice/);
  }

  test('takes over a session that an older worker cannot read, and which the older worker leaves as it is', async () => {
    const snapshot = { snapshotVersion: '1', version: 1, versions: { risks: 1 }, slices: { risks: [risk('R1')] } };
    await harness.startWorker();
    const handle = await harness.client.workflow.start<SessionWorkflow>('sessionWorkflow', {
      workflowId: `run/${harness.taskQueue}/session-1`,
      taskQueue: harness.taskQueue,
      args: [{ runId: harness.taskQueue, storeId: harness.store.id, session: { inline: snapshot } }],
    });
    const refusal = await until(async () => {
      const { events } = await handle.fetchHistory();
      return (
        events?.find((event) => event.workflowTaskFailedEventAttributes)?.workflowTaskFailedEventAttributes ?? undefined
      );
    });
    expect(refusal.failure?.message).toMatch(/slice "risks", slices: this worker has no such slice/);
    await harness.stopWorker();
    await newer.start();
    await handle.signal('closeSession');
    expect(await handle.result()).toEqual({ inline: snapshot } satisfies SnapshotPayload);
  });
});

/** A root with a batch of two and an isolated child. All of them wait in their third turn until the worker is swapped. */
function riskReporters(): { root: Script; child: Script; inFlight: Gate[]; swapped: Gate } {
  const nameOf = (call: ScriptedCall): string =>
    ['A.', 'B.'].includes(reasonOf(call)) ? reasonOf(call) : 'the isolated one';
  const inFlight = [createGate(), createGate(), createGate()];
  const swapped = createGate();
  const root = scriptByTurn(
    useTool('report_risk', risk('R9')),
    useTools([
      { name: 'dispatch_subagents', input: batch(['A.', 'B.']) },
      { name: 'dispatch_subagent', input: dispatch() },
    ]),
    useTool('report_risk', risk('R4')),
    say('Done.'),
  );
  const place = (call: ScriptedCall): number => ['A.', 'B.', 'the isolated one'].indexOf(nameOf(call));
  const child = scriptByTurn(
    useTool('report_risk', risk('R9')),
    (call) => useTool('add_note', { text: `Note of ${nameOf(call)}` }),
    async (call) => {
      inFlight[place(call)]?.open();
      await swapped.opened;
      return useTool('report_risk', risk(`R${place(call) + 1}`));
    },
    say('Reported.'),
  );
  return { root, child, inFlight, swapped };
}

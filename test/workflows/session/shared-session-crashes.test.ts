import { once } from 'node:events';
import {
  createGate,
  scriptByTurn,
  say,
  useTool,
  type Script,
  type ScriptedCall,
} from '../../../testing/scripted-model';
import { batch, delegationsOf, planned, planner, planOf, reasonOf, type StartedChild } from '../../support/batches';
import { byDepth, depthOf } from '../../support/delegation-script';
import { Harness, type RunHandle } from '../../support/harness';
import { until } from '../../support/until';
import { kill, workersOfEachTest } from '../../support/worker-process';

const reasons = ['A.', 'B.', 'C.'];

describe('every write to a shared session is applied once, although', () => {
  let harness: Harness;
  const fork = workersOfEachTest(() => harness);
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'), { withWorker: false });
  });
  afterAll(() => harness.close());

  const play = (child: Script): Promise<RunHandle> => {
    const root = scriptByTurn(useTool('dispatch_subagents', batch(reasons)), say('done'));
    harness.model.setScript(byDepth(root, child));
    return harness.startRun({ tuning: { heartbeatTimeoutMs: 1_000, requestsPerHost: 4 } });
  };
  const attemptsOf = async ({ workflowId }: StartedChild): Promise<number[]> => {
    const { events } = await harness.client.workflow.getHandle(workflowId).fetchHistory();
    const writes = (events ?? []).filter(
      ({ activityTaskScheduledEventAttributes: asked }) => asked?.activityType?.name === 'applySession',
    );
    return writes.map(({ eventId }) => {
      const started = events?.find(({ activityTaskStartedEventAttributes: start }) =>
        start?.scheduledEventId?.equals(eventId!),
      );
      return started?.activityTaskStartedEventAttributes?.attempt ?? 0;
    });
  };

  test('the worker is killed in the middle of the batch', async () => {
    const [reached, gate] = [createGate(), createGate()];
    let calls = 0;
    const before = async (call: ScriptedCall): Promise<void> => {
      if (depthOf(call) === 1 && (calls += 1) === 5) reached.open();
      if (calls >= 5) await gate.opened;
    };
    const handle = await play(planner(3, before));
    const first = await fork();
    await reached.opened;
    await kill(first);
    gate.open();
    await fork();
    await handle.result();
    expect(await planOf(harness.client, handle.workflowId)).toEqual(planned(reasons, 3));
  });

  test('the worker is killed before its request is sent, and the next one after it was applied', async () => {
    const handle = await play(planner(2));
    for (const when of ['before', 'after'] as const) {
      const worker = await fork({ atUpdate: { when, signal: 'SIGKILL' } });
      if (worker.signalCode === null) await once(worker, 'exit');
      expect(worker.signalCode).toBe('SIGKILL');
    }
    await fork();
    await handle.result();
    expect(await planOf(harness.client, handle.workflowId)).toEqual(planned(reasons, 2));
  });

  // A stalled worker's open requests for tasks are still answered, and each task that one takes waits for a timeout: 10
  // seconds if it is one of a workflow. So it has as few as possible. What its history looks like: docs/stopping-workers.md.
  test('a stalled worker sends its request after another one has', async () => {
    const [gate, written] = [createGate(), new Set<string>()];
    // A query could go to the stalled worker. That a child makes its second call shows that its first write was applied.
    const before = (call: ScriptedCall): Promise<void> => {
      if (call.turn !== 1) return Promise.resolve();
      written.add(reasonOf(call));
      return gate.opened;
    };
    const handle = await play(planner(2, before));
    const pollers = { workflow: 2, activity: 1 };
    const stalled = await fork({ atUpdate: { when: 'before', signal: 'SIGSTOP' }, pollers });
    await once(stalled, 'message');
    await fork();
    await until(() => (written.size === reasons.length ? true : undefined), 240_000);
    stalled.kill('SIGCONT');
    await once(stalled, 'message');
    gate.open();
    await handle.result();
    expect(await planOf(harness.client, handle.workflowId)).toEqual(planned(reasons, 2));
  }, 400_000);

  test('every other reply of the host is lost, and the write is repeated', async () => {
    const handle = await play(planner(3));
    await fork({ losesAnswers: true });
    await handle.result();
    expect(await planOf(harness.client, handle.workflowId)).toEqual(planned(reasons, 3));
    const attempts = await Promise.all((await delegationsOf(harness.client, handle, 3)).map(attemptsOf));
    expect(Math.max(...attempts.flat())).toBeGreaterThan(1);
  });
});

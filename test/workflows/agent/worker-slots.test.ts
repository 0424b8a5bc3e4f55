import { diagnose } from '../../../client/why';
import { isExhausted, readQueues } from '../../../client/why/task-queues';
import { defaultLimits } from '../../../domain/agent';
import { createGate, fail, say, type ScriptedCall, scriptByTurn, useTool } from '../../../testing/scripted-model';
import { pauseUpdate, snapshotQuery } from '../../../workflows/messages';
import { batch } from '../../support/batches';
import { byDepth, depthOf } from '../../support/delegation-script';
import { Harness } from '../../support/harness';
import { operated } from '../../support/parked';
import { until } from '../../support/until';

const hanging = 300;
// A busy machine takes minutes to start them all, and sends their heartbeats late.
jest.setTimeout(600_000);
const tuning = { heartbeatTimeoutMs: 300_000 };

describe('a worker whose model calls all hang', () => {
  let harness: Harness;
  const asked: ScriptedCall[] = [];
  const gate = createGate();
  let parked: string;
  let busy: string;
  beforeAll(async () => {
    const reasons = Array.from({ length: hanging }, (_, index) => `Part ${index + 1}.`);
    const script = byDepth(scriptByTurn(useTool('dispatch_subagents', batch(reasons)), say('never')), async () => {
      await gate.opened;
      return say('At last.');
    });
    harness = await Harness.start(
      (call) => {
        asked.push(call);
        return call.systemText.includes('Fail at once.') ? fail(401) : script(call);
      },
      { slots: { model: hanging }, replayed: false },
    );
    const failing = await harness.startRun({ goal: 'Fail at once.', onFailure: 'hold' });
    await operated(harness.client, failing.workflowId).incident();
    parked = failing.workflowId;
    const run = await harness.startRun({
      limits: { ...defaultLimits, maxParallel: hanging },
      model: { name: 'claude-sonnet-5-5', maxTokens: 60_000, window: 1_000_000 },
      tuning,
    });
    busy = run.workflowId;
    await until(() => (asked.filter((call) => depthOf(call) === 1).length >= hanging ? true : undefined), 300_000);
  });
  afterAll(async () => {
    gate.open();
    await until(() => (harness.model.calls.some(({ outcome }) => outcome === 'pending') ? undefined : true));
    await harness.client.workflow.getHandle(busy).terminate();
    await harness.close();
  });

  test('opens a new run, and says that it waits for a slot', async () => {
    const run = await harness.startRun({ tuning });
    await until(async () => ((await run.query(snapshotQuery)).status === 'thinking' ? true : undefined));
    const why = await until(async () => {
      const found = await diagnose(harness.client, run.workflowId);
      return found.verdict === 'waiting' ? found : undefined;
    });
    expect(why.message).toMatch(/^all slots for model calls are in use: \d+ tasks? waiting on task queue/);
    expect(why.remedy).toContain('raise BATON_MODEL_SLOTS');
    await run.terminate();
  });

  test('applies the decisions of operators', async () => {
    const { incident, decide, handle } = operated(harness.client, parked);
    const { id } = await incident();
    await decide({ action: 'skip', incident: id, placeholder: 'Never mind.' });
    expect(await handle.result()).toMatchObject({ answer: { text: 'Never mind.' } });
    const paused = await harness.client.workflow
      .getHandle(busy)
      .executeUpdate<{ state: string }, [object]>(pauseUpdate.name, {
        args: [{}],
      });
    expect(paused.state).toContain('paused');
  });

  test('has only the slots for model calls in use', async () => {
    const run = await harness.startRun({ tuning });
    const queues = await until(async () => {
      const found = await readQueues(harness.client, harness.taskQueue);
      return found.some(isExhausted) ? found : undefined;
    });
    const kinds = queues.filter(isExhausted).map(({ kind }) => kind);
    expect(kinds).toContain('model');
    expect(kinds).not.toContain('control');
    expect(kinds).not.toContain('tool');
    expect(queues.find(({ kind }) => kind === 'workflow')?.workers).toBeGreaterThan(0);
    await run.terminate();
  });
});

import { once } from 'node:events';
import { createGate, hang, scriptByTurn, say, useTool } from '../../../testing/scripted-model';
import { failedAttemptsOf } from '../../support/failures';
import { Harness, type RunHandle } from '../../support/harness';
import { until } from '../../support/until';
import { kill, workersOfEachTest } from '../../support/worker-process';

describe('when a worker dies', () => {
  let harness: Harness;
  const fork = workersOfEachTest(() => harness);
  /** Calls that the model received in this test, by outcome. */
  const outcomes = (from: number): string[] => harness.model.calls.slice(from).map(({ outcome }) => outcome);

  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'), { withWorker: false });
  });
  afterAll(() => harness.close());

  const start = (): Promise<RunHandle> => harness.startRun({ tuning: { heartbeatTimeoutMs: 1_000 } });

  test('before it has called the model, the run waits and continues with the next worker', async () => {
    const from = harness.model.calls.length;
    harness.model.setScript(scriptByTurn(useTool('list_files', {}), say('Done.')));
    const first = await fork();
    await kill(first);
    const handle = await start();
    await fork();
    expect(await handle.result()).toMatchObject({ answer: { text: 'Done.' } });
    expect(outcomes(from)).toEqual(['answered', 'answered']);
  });

  test('during a call, only that call is repeated', async () => {
    const from = harness.model.calls.length;
    const gate = createGate();
    harness.model.setScript(async (call) => {
      if (call.turn === 1 && call.attempt === 0) await gate.opened;
      return call.turn < 2 ? useTool('list_files', {}) : say('Done.');
    });
    const first = await fork();
    const handle = await start();
    await harness.model.waitForCall(from + 1);
    await kill(first);
    gate.open();
    await fork();
    expect(await handle.result()).toMatchObject({ answer: { text: 'Done.' }, turns: 3 });
    expect(outcomes(from)).toEqual(['answered', 'aborted', 'answered', 'answered']);
  });

  test('during a call of a run that is cancelled, the run ends as cancelled, and not as failed', async () => {
    const from = harness.model.calls.length;
    harness.model.setScript(() => hang({ answer: say('An answer that never ends') }));
    const workers = [await fork(), await fork()];
    const handle = await harness.startRun({ tuning: { heartbeatTimeoutMs: 5_000 } });
    await harness.model.waitForCall(from);
    const { raw } = await handle.describe();
    const calling = raw.pendingActivities?.[0]?.lastWorkerIdentity ?? '';
    const dead = workers.find(({ pid }) => calling.startsWith(`${pid}@`));
    await kill(dead!);
    await handle.cancel();
    await handle.result().catch(() => undefined);
    expect((await handle.describe()).status.name).toBe('CANCELLED');
  });

  test('after the model has replied but before that was reported, the model is not called again', async () => {
    const from = harness.model.calls.length;
    harness.model.setScript(scriptByTurn(useTool('list_files', {}), useTool('list_files', {}), say('Done.')));
    const first = await fork({ dieAfterAnswers: 2 });
    const died = once(first, 'exit');
    const handle = await start();
    expect((await died)[1]).toBe('SIGKILL');
    expect(outcomes(from)).toEqual(['answered', 'answered']);
    await fork();
    expect(await handle.result()).toMatchObject({ answer: { text: 'Done.' }, turns: 3 });
    expect(outcomes(from)).toEqual(['answered', 'answered', 'answered']);
  });

  // Calls to the file system: a record is written, linked, and synced with its folder; then the link of the transcript.
  const linked = 3;
  const last = 13;
  test('at any moment after the answer is in the journal, the model is not called again', async () => {
    const from = harness.model.calls.length;
    const points = [linked, linked + 4, linked + 6, last];
    harness.model.setScript((call) => (call.turn < points.length ? useTool('list_files', {}) : say('Done.')));
    const handle = await start();
    for (const dieAtCall of points) {
      const worker = await fork({ dieAtCall });
      if (worker.signalCode === null) await once(worker, 'exit');
      expect(worker.signalCode).toBe('SIGKILL');
    }
    await fork();
    expect(await handle.result()).toMatchObject({ answer: { text: 'Done.' }, turns: points.length + 1 });
    expect(outcomes(from)).toEqual(Array(points.length + 1).fill('answered'));
  });

  test('stalls rather than dies, and its successor replies first, that reply counts', async () => {
    const from = harness.model.calls.length;
    const gate = createGate();
    harness.model.setScript(async (call) => {
      if (call.attempt > 0) return say('From its successor.');
      await gate.opened;
      return say('From the stalled one.');
    });
    const first = await fork();
    const handle = await start();
    await harness.model.waitForCall(from);
    await fork();
    first.kill('SIGSTOP');
    // The server gives up on the first attempt. A stopped process may still get the second one, so it must not be
    // stopped forever.
    await until(async () => {
      const { pendingActivities } = (await handle.describe()).raw;
      return pendingActivities?.[0]?.attempt !== 1 || undefined;
    });
    first.kill('SIGCONT');
    expect(await handle.result()).toMatchObject({ answer: { text: 'From its successor.' }, turns: 1 });
    const asked = outcomes(from).length;
    gate.open();
    await harness.model.waitForOutcome(from);
    expect(asked).toBeGreaterThanOrEqual(2);
    expect(outcomes(from)).toHaveLength(asked);
  });

  test('is shut down during a reply, the run continues on another worker at once', async () => {
    const from = harness.model.calls.length;
    const gate = createGate();
    harness.model.setScript(async (call) => {
      if (call.attempt === 0) await gate.opened;
      return say('Done.');
    });
    const first = await fork();
    const handle = await harness.startRun({ tuning: {} });
    await harness.model.waitForCall(from);
    const [second] = await Promise.all([fork(), kill(first, 'SIGTERM')]);
    gate.open();
    expect(await handle.result()).toMatchObject({ answer: { text: 'Done.' } });
    // The retry did not wait for the heartbeat timeout.
    expect(await failedAttemptsOf(handle)).toEqual([{ type: 'Worker.ShuttingDown', retryDelayMs: 100 }]);
    expect(first.exitCode).toBe(0);
    await kill(second, 'SIGTERM');
    expect(second.exitCode).toBe(0);
  });
});

import type { RunResult } from '../../domain/agent';
import { runWorkflowId } from '../../domain/kernel';
import { freePorts } from '../../scripts/cluster/services/service';
import { createGate, delegationDepth, say, useTool } from '../../testing/scripted-model';
import { Stand } from '../cli/support/stand';
import { dispatch } from '../support/delegation-script';
import { until } from '../support/until';

// Worker processes as process managers start and stop them.

describe('a worker that is asked to stop', () => {
  let stand: Stand;
  beforeAll(async () => {
    stand = await Stand.start(() => say('no script'), { withWorker: false });
  });
  afterEach(() => stand.stopWorker());
  afterAll(() => stand.close());

  const start = async (goal: string): Promise<string> => {
    const id = stand.newId();
    expect(await stand.baton('run', goal, '--id', id)).toMatchObject({ exitCode: 0 });
    return id;
  };
  const answerOf = async (id: string): Promise<unknown> => {
    const { answer } = (await stand.client.workflow.getHandle(runWorkflowId(id)).result()) as RunResult;
    return answer;
  };
  /** Finds an address for the health endpoint, and a function that waits until it answers this. */
  const healthEndpoint = async (): Promise<[address: string, isReady: (expected: boolean) => Promise<unknown>]> => {
    const [port = 0] = await freePorts(1);
    const address = `127.0.0.1:${port}`;
    const look = async (): Promise<unknown> => {
      const { ready } = (await (await fetch(`http://${address}/readyz`)).json()) as { ready: boolean };
      return ready;
    };
    return [address, (expected) => until(async () => ((await look()) === expected ? true : undefined))];
  };
  /** Outcomes of the calls of a test, in their order. */
  const outcomes = (from: number): unknown[] => stand.model.calls.slice(from).map(({ outcome }) => outcome);

  test('finishes the model call in progress, takes nothing new, says that it is not ready, and ends with 0', async () => {
    const gate = createGate();
    stand.model.setScript(async (call) => {
      if (call.turn === 0 && call.systemText.includes('slowly')) await gate.opened;
      return call.turn === 0 ? useTool('add_note', { text: 'x' }) : say('Done.');
    });
    const [health, isReady] = await healthEndpoint();
    const from = stand.model.calls.length;
    const worker = await stand.startWorker({ BATON_SHUTDOWN_GRACE: '120', BATON_HEALTH_ADDRESS: health });
    const slow = await start('Answer slowly.');
    await stand.model.waitForCall(from);
    await isReady(true);
    const ending = worker.kill('SIGTERM');
    await isReady(false);
    const later = await start('Answer quickly.');
    gate.open();
    expect(await ending).toMatchObject({ exitCode: 0 });
    // The call was finished and recorded. Nothing else was begun.
    expect(outcomes(from)).toEqual(['answered']);

    await stand.startWorker();
    expect(await Promise.all([answerOf(slow), answerOf(later)])).toEqual([{ text: 'Done.' }, { text: 'Done.' }]);
    expect(outcomes(from)).toEqual(['answered', 'answered', 'answered', 'answered']);
  });

  test('aborts what has not ended within the grace period, and another worker repeats it', async () => {
    const gate = createGate();
    stand.model.setScript(async ({ attempt }) => {
      if (attempt === 0) await gate.opened;
      return say('Done.');
    });
    const from = stand.model.calls.length;
    const worker = await stand.startWorker({ BATON_SHUTDOWN_GRACE: '1' });
    const id = await start('Answer after a long time.');
    await stand.model.waitForCall(from);
    const asked = Date.now();
    expect(await worker.kill('SIGTERM')).toMatchObject({ exitCode: 0 });
    expect(Date.now() - asked).toBeGreaterThan(900);
    await until(() => (outcomes(from)[0] === 'aborted' ? true : undefined));
    await stand.startWorker();
    expect(await answerOf(id)).toEqual({ text: 'Done.' });
    expect(outcomes(from)).toEqual(['aborted', 'answered']);
    gate.open();
  });

  test('ends at once when it is asked twice', async () => {
    const gate = createGate();
    stand.model.setScript(async ({ attempt }) => {
      if (attempt === 0) await gate.opened;
      return say('Done.');
    });
    const from = stand.model.calls.length;
    const [health, isReady] = await healthEndpoint();
    const worker = stand.startBatonWith({ BATON_SHUTDOWN_GRACE: '600' }, 'worker', '--health', health);
    await worker.said('Worker on task queue');
    const id = await start('Answer after a very long time.');
    await stand.model.waitForCall(from);
    worker.child.kill('SIGTERM');
    await isReady(false);
    // Otherwise it would wait for ten minutes.
    expect(await worker.kill('SIGTERM')).toMatchObject({ exitCode: 0 });
    await stand.startWorker();
    expect(await answerOf(id)).toEqual({ text: 'Done.' });
    gate.open();
  });

  test('as a job, works until no run is open, and ends with 0', async () => {
    stand.model.setScript((call) => {
      if (delegationDepth(call) > 0) return say('The part is done.');
      return call.turn === 0 ? useTool('dispatch_subagent', dispatch()) : say('All is done.');
    });
    const runs = [await start('Delegate it.'), await start('Delegate this, too.')];
    const job = await stand.startBatonWith({}, 'worker', '--once').ended;
    expect(job).toMatchObject({ exitCode: 0, stdout: '' });
    for (const id of runs) expect(await stand.command('show', id)).toMatchObject({ exitCode: 0 });
    expect(await Promise.all(runs.map(answerOf))).toEqual([{ text: 'All is done.' }, { text: 'All is done.' }]);
  });
});

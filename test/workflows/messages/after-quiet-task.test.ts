import { temporal } from '@temporalio/proto';
import { createGate, say, scriptByTurn, useTool } from '../../../testing/scripted-model';
import { pauseUpdate, resumeUpdate } from '../../../workflows/messages';
import { batch, delegationsOf } from '../../support/batches';
import { byDepth } from '../../support/delegation-script';
import { Harness, type RunHandle } from '../../support/harness';
import { until } from '../../support/until';

const {
  EVENT_TYPE_WORKFLOW_TASK_COMPLETED: taskCompleted,
  EVENT_TYPE_SIGNAL_EXTERNAL_WORKFLOW_EXECUTION_INITIATED: signalSent,
  EVENT_TYPE_EXTERNAL_WORKFLOW_EXECUTION_SIGNALED: signalDelivered,
} = temporal.api.enums.v1.EventType;
type EventType = temporal.api.enums.v1.EventType;

// A worker that has to replay joins a workflow task without commands with the next one, if no event lies between them. It
// then handles an Update before the results that a worker with the workflow in its cache knew of by then.

const children = Array.from({ length: 6 }, (_, at) => `task ${at}`);

describe('an Update that arrives after a workflow task without commands', () => {
  let harness: Harness;
  const gate = createGate();
  beforeAll(async () => {
    const root = scriptByTurn(useTool('dispatch_subagents', batch(children)), say('done'));
    const child = async (): Promise<ReturnType<typeof say>> => {
      await gate.opened;
      return say('Answer.');
    };
    harness = await Harness.start(byDepth(root, child));
  });
  afterAll(() => harness.close());

  /** Pauses and resumes until the last of several workflow tasks only learned that signals were delivered. */
  const untilQuiet = async (run: RunHandle, next: Update, other: Update): Promise<Update> => {
    // The signals are ignored. One that comes while the Update is handled begins a workflow task before signals are delivered.
    const ignored = Array.from({ length: 8 }, () => run.signal('no-such-signal'));
    await Promise.all([run.executeUpdate(next.name, { args: [{}] }), ...ignored]);
    const types = await until(async () => {
      const all = (await run.fetchHistory()).events!.map(({ eventType }) => eventType);
      const count = (type: EventType): number => all.filter((one) => one === type).length;
      return all.at(-1) === taskCompleted && count(signalSent) === count(signalDelivered) ? all : undefined;
    });
    const since = types.slice(types.lastIndexOf(taskCompleted, types.length - 2));
    return !since.includes(signalSent) && since.includes(signalDelivered) ? other : untilQuiet(run, other, next);
  };

  test('leads to the same commands, whether or not the worker has to replay', async () => {
    const run = await harness.startRun();
    await delegationsOf(harness.client, run, children.length);
    const next = await untilQuiet(run, pauseUpdate, resumeUpdate);
    await harness.stopWorker();
    const updated = run.executeUpdate(next.name, { args: [{}] });
    await harness.startWorker();
    await updated;
    await run.executeUpdate(resumeUpdate.name, { args: [{}] });
    gate.open();
    expect(await run.result()).toMatchObject({ answer: { text: 'done' } });
    // Closing the harness replays all histories.
  });
});

type Update = typeof pauseUpdate | typeof resumeUpdate;

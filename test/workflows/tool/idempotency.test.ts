import { refuse, say, scriptByTurn, useTool, useTools } from '../../../testing/scripted-model';
import { batch, reset } from '../../support/batches';
import { bookingTool, BookingServer } from '../../support/booking';
import { byDepth } from '../../support/delegation-script';
import { Harness, type RunHandle } from '../../support/harness';
import { operated } from '../../support/parked';
import { until } from '../../support/until';
import { kill, workersOfEachTest } from '../../support/worker-process';

const book = (seat: string): { name: string; input: object } => ({ name: 'book_seat', input: { seat } });

describe('a tool that books by the key of its call', () => {
  let booking: BookingServer;
  let harness: Harness;
  beforeAll(async () => {
    booking = await BookingServer.start();
    harness = await Harness.start(() => say('no script'), { tools: [bookingTool(booking.url)] });
  });
  beforeEach(() => {
    booking.bookings.clear();
    booking.requests.length = 0;
    booking.isSilent = false;
  });
  afterAll(async () => {
    await harness.close();
    await booking.close();
  });

  const tasksOf = async ({ workflowId, firstExecutionRunId: runId }: RunHandle) =>
    ((await harness.client.workflow.getHandle(workflowId, runId).fetchHistory()).events ?? []).flatMap((event) =>
      event.workflowTaskCompletedEventAttributes ? [event.eventId!] : [],
    );
  /** A call, the same call again, and the same call twice in one reply. */
  const script = scriptByTurn(
    useTool('book_seat', { seat: '1A' }),
    useTool('book_seat', { seat: '1A' }),
    useTools([book('1A'), book('1A')]),
    say('Booked.'),
  );

  test('books once per call, also if the model makes the same call again', async () => {
    harness.model.setScript(script);
    await (await harness.startRun({ tuning: { turnsPerExecution: 1 } })).result();
    expect(booking.requests).toHaveLength(4);
    expect(booking.bookings.size).toBe(4);
    for (const { key } of booking.requests) expect(key).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
  });

  // The results are read from the journal, wherever the tools ran.
  test.each([true, false])('requests nothing again after a reset to any point (inside: %j)', async (toolsInside) => {
    harness.model.setScript(script);
    const run = await harness.startRun({ tuning: { toolsInside } });
    const before = await run.result();
    const calls = harness.model.calls.length;
    expect(booking.bookings.size).toBe(4);
    let latest = run.firstExecutionRunId;
    for (const task of await tasksOf(run)) {
      latest = await reset(harness.client, { workflowId: run.workflowId, runId: run.firstExecutionRunId }, task);
      expect(await harness.client.workflow.getHandle(run.workflowId, latest).result()).toEqual(before);
    }
    expect(booking.requests).toHaveLength(4);
    expect(harness.model.calls).toHaveLength(calls);
    // A reset of a reset has another parent, and the same keys.
    const { events } = await harness.client.workflow.getHandle(run.workflowId, latest).fetchHistory();
    const first = events!.find((event) => event.workflowTaskCompletedEventAttributes)!.eventId!;
    const again = await reset(harness.client, { workflowId: run.workflowId, runId: latest }, first);
    expect(await harness.client.workflow.getHandle(run.workflowId, again).result()).toEqual(before);
    expect(booking.requests).toHaveLength(4);
    expect(booking.bookings.size).toBe(4);
  });

  test('books again if the model is asked again after an operator has retried the turn', async () => {
    let isWell = false;
    harness.model.setScript(
      scriptByTurn(
        useTool('book_seat', { seat: '2B' }),
        () => (isWell ? useTool('book_seat', { seat: '2B' }) : refuse()),
        say('Done.'),
      ),
    );
    const run = await harness.startRun({ onFailure: 'hold' });
    const agent = operated(harness.client, run.workflowId);
    const { id } = await agent.incident();
    isWell = true;
    await agent.decide({ incident: id, action: 'retry' });
    await run.result();
    expect(booking.bookings.size).toBe(2);
  });

  test('books for each delegation that makes the call', async () => {
    harness.model.setScript(
      byDepth(
        scriptByTurn(useTool('dispatch_subagents', batch(['one', 'other'])), say('Done.')),
        scriptByTurn(useTool('book_seat', { seat: '3C' }), say('Booked.')),
      ),
    );
    await (await harness.startRun()).result();
    expect(booking.bookings.size).toBe(2);
  });
});

describe('a tool that books by the key of its call, on workers that die', () => {
  let booking: BookingServer;
  let harness: Harness;
  const fork = workersOfEachTest(() => harness);
  beforeAll(async () => {
    booking = await BookingServer.start();
    harness = await Harness.start(() => say('no script'), { withWorker: false });
  });
  afterAll(async () => {
    await harness.close();
    await booking.close();
  });

  test('books once, although three workers have called the API', async () => {
    harness.model.setScript(scriptByTurn(useTool('book_seat', { seat: '4D' }), say('Booked.')));
    const bookingUrl = booking.url;
    booking.isSilent = true;
    let worker = await fork({ bookingUrl });
    const run = await harness.startRun({ tuning: { heartbeatTimeoutMs: 1_000, retryIntervalMs: 10 } });
    for (const made of [1, 2]) {
      await until(() => (booking.requests.length === made ? true : undefined));
      await kill(worker);
      booking.isSilent = made < 2;
      worker = await fork({ bookingUrl });
    }
    expect(await run.result()).toMatchObject({ answer: { text: 'Booked.' } });
    expect(booking.requests).toHaveLength(3);
    expect([...booking.bookings.values()]).toEqual(['B1 4D']);
    expect(new Set(booking.requests.map(({ key }) => key)).size).toBe(1);
  });
});

import { once } from 'node:events';
import { say, useTool } from '../../../testing/scripted-model';
import { BookingServer } from '../../support/booking';
import { Harness } from '../../support/harness';
import { type WorkerFaults, workersOfEachTest } from '../../support/worker-process';

/** What a kill costs at each point of a turn with a tool inside; every point is in test/activities/agent. */
describe('a worker that is killed in a turn', () => {
  let harness: Harness;
  let booking: BookingServer;
  const fork = workersOfEachTest(() => harness);
  beforeAll(async () => {
    booking = await BookingServer.start();
    harness = await Harness.start(() => say('no script'), { withWorker: false });
  });
  afterAll(async () => {
    await harness.close();
    await booking.close();
  });

  interface Point extends Omit<NonNullable<WorkerFaults['dieAtRecord']>, 'call'> {
    /** Requests to the model and to the tool's server in the whole turn. */
    readonly asked: number;
    readonly booked: number;
  }
  const points: readonly Point[] = [
    { kind: 'answer', when: 'before', asked: 2, booked: 1 },
    { kind: 'turn', when: 'before', asked: 1, booked: 2 },
    { kind: 'turn', when: 'after', asked: 1, booked: 1 },
  ];

  test('repeats only what was not recorded', async () => {
    const bookingUrl = booking.url;
    harness.model.setScript(({ turn }) =>
      turn < points.length ? useTool('book_seat', { seat: `${turn}A` }) : say('Booked.'),
    );
    const run = await harness.startRun({ tuning: { heartbeatTimeoutMs: 2_000, retryIntervalMs: 10 } });
    for (const [call, { kind, when }] of points.entries()) {
      const worker = await fork({ bookingUrl, dieAtRecord: { kind, call, when } });
      if (worker.signalCode === null) await once(worker, 'exit');
      expect(worker.signalCode).toBe('SIGKILL');
    }
    await fork({ bookingUrl });
    expect(await run.result()).toMatchObject({ answer: { text: 'Booked.' }, turns: points.length + 1 });
    const { calls } = harness.model;
    const asked = points.map(
      (_, turn) => calls.filter(({ request }) => request.messages.length === 2 * turn + 1).length,
    );
    const booked = points.map((_, turn) => booking.requests.filter(({ seat }) => seat === `${turn}A`).length);
    expect({ asked, booked }).toEqual({
      asked: points.map((point) => point.asked),
      booked: points.map((point) => point.booked),
    });
    expect(booking.bookings.size).toBe(points.length);
  });
});

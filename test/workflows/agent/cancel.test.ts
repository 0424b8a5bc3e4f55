import { CancelledFailure, WorkflowFailedError } from '@temporalio/client';
import { hang, say } from '../../../testing/scripted-model';
import { Harness } from '../../support/harness';

/** After this time without data, a call is given up anyway. */
const callTimeoutMs = 120_000;

describe('cancelling a run', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await Harness.start(() => hang({ afterEvents: 3, answer: say('An answer that never ends') }));
  });
  afterAll(() => harness.close());

  test('during a streaming reply ends the run and the stream long before the call would time out', async () => {
    // The default heartbeat timeout, not the short one of other tests, because workers learn of a cancellation by
    // heartbeats.
    const handle = await harness.startRun({ tuning: {} });
    await harness.model.waitForCall(0);
    const asked = Date.now();
    await handle.cancel();
    const error: unknown = await handle.result().catch((cause: unknown) => cause);
    expect(Date.now() - asked).toBeLessThan(callTimeoutMs / 2);
    expect(error).toBeInstanceOf(WorkflowFailedError);
    expect((error as WorkflowFailedError).cause).toBeInstanceOf(CancelledFailure);
    expect((await harness.model.waitForOutcome(0)).outcome).toBe('aborted');
    expect((await handle.describe()).status.name).toBe('CANCELLED');
  });
});

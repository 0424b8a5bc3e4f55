import { CancelledFailure } from '@temporalio/common';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { whileHeartbeating } from '../../activities/heartbeat';
import { StoreUnavailableError } from '../../domain/store';
import { quietEnvironment } from '../support/activity-environment';

/** Runs work that throws once it is cancelled, and returns what the activity reports. */
async function reportedAfterCancel(thrown: () => unknown): Promise<unknown> {
  const environment = quietEnvironment();
  const activity = environment.run(() =>
    whileHeartbeating(async (signal) => {
      if (!signal.aborted) await once(signal, 'abort');
      throw thrown();
    }),
  );
  environment.cancel();
  return activity.then(
    () => 'completed',
    (error: unknown) => error,
  );
}

describe('work that fails after a cancellation', () => {
  test.each<[string, () => unknown]>([
    ['an aborted request', () => new DOMException('This operation was aborted', 'AbortError')],
    ['a killed process', () => new Error('the process was killed')],
    ['a connection that was lost', () => new TypeError('fetch failed', { cause: new Error('ECONNRESET') })],
    ['a store that is gone', () => new StoreUnavailableError('read', 'x')],
  ])('counts as cancelled: %s', async (_, thrown) => {
    expect(await reportedAfterCancel(thrown)).toBeInstanceOf(CancelledFailure);
  });

  test.each<[string, () => unknown]>([
    ['a wrong type', () => new TypeError('x is not a function')],
    ['a wrong name', () => new ReferenceError('x is not defined')],
    ['endless recursion', () => new RangeError('Maximum call stack size exceeded')],
    ['a failed assertion', () => assertionError()],
  ])('is reported as a defect when only wrong code throws it: %s', async (_, thrown) => {
    const error = thrown();
    const reported = await reportedAfterCancel(() => error);
    expect(reported).not.toBeInstanceOf(CancelledFailure);
    expect(String(reported)).toContain((error as Error).message);
  });
});

function assertionError(): unknown {
  try {
    assert.equal(1, 2);
  } catch (error) {
    return error;
  }
  return undefined;
}

import { withCheckedInput } from '../../activities/boundary';
import { loadSnapshotActivity } from '../../domain/session';
import { BlobMissingError, maxPayloadBytes, StoreFullError } from '../../domain/store';
import { quietEnvironment } from '../support/activity-environment';

describe('the boundary of activities', () => {
  const tooLong = 'x'.repeat(maxPayloadBytes);
  const attempt = <Input>(activity: (input: Input) => Promise<unknown>, input: Input): Promise<unknown> =>
    quietEnvironment()
      .run(activity, input)
      .catch((error: unknown) => error);

  test('refuses a result that is too large for history, without retries', async () => {
    expect(await attempt(() => Promise.resolve(tooLong), {})).toMatchObject({
      type: 'Payload.TooLarge',
      nonRetryable: true,
    });
  });

  test('refuses an argument that is too large, before the activity runs', async () => {
    const activity = jest.fn(() => Promise.resolve());
    expect(await attempt(activity, tooLong)).toMatchObject({ type: 'Payload.TooLarge' });
    expect(activity).not.toHaveBeenCalled();
  });

  test('accepts everything that fits', async () => {
    expect(await attempt((input) => Promise.resolve(input), { a: 1 })).toEqual({ a: 1 });
  });

  test('converts expected errors to failures with their type, retryable or not', async () => {
    expect(await attempt(() => Promise.reject(new StoreFullError('/x')), {})).toMatchObject({
      type: 'Store.Full',
      nonRetryable: false,
    });
    const missing = new BlobMissingError('r1', 'f'.repeat(64), 'a test');
    expect(await attempt(() => Promise.reject(missing), {})).toMatchObject({
      type: 'Store.BlobMissing',
      nonRetryable: true,
    });
  });

  test('refuses an input that does not match its contract, names activity and field, and does not retry', async () => {
    const work = jest.fn();
    const input = { runId: 'r1', storeId: 's1', ref: { hash: 'short', bytes: 1, mediaType: 'text/plain' } };
    const failure = await attempt(withCheckedInput(loadSnapshotActivity, work), input);
    expect(failure).toMatchObject({
      type: 'Input.Invalid',
      nonRetryable: true,
      message: expect.stringMatching(/^loadSnapshot: ref\.hash: must be a SHA-256/) as string,
    });
    expect(work).not.toHaveBeenCalled();
  });

  test('passes an input on as it was sent, with fields that only a later version knows', async () => {
    const input = { runId: 'r1', storeId: 's1', ref: { hash: 'a'.repeat(64), bytes: 1, mediaType: 'a' }, later: true };
    const work = jest.fn();
    await attempt(withCheckedInput(loadSnapshotActivity, work), input);
    expect(work).toHaveBeenCalledWith(input);
  });

  test('rethrows unexpected errors unchanged', async () => {
    const bug = new TypeError('oops');
    expect(await attempt(() => Promise.reject(bug), {})).toBe(bug);
  });
});

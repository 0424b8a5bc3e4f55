import { CompleteAsyncError } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure, defaultDataConverter } from '@temporalio/common';
import { withCheckedInput } from '../../activities/boundary';
import { toFailure } from '../../activities/failure';
import { redactSecrets } from '../../domain/kernel';
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

  test('keeps name, message, stack and cause of an unexpected error', async () => {
    const bug = new TypeError('oops', { cause: new RangeError('too far') });
    expect(await attempt(() => Promise.reject(bug), {})).toMatchObject({
      type: 'TypeError',
      nonRetryable: false,
      message: 'oops',
      stack: bug.stack,
      cause: { type: 'RangeError', message: 'too far' },
    });
  });

  test('passes on what tells the SDK that an activity was cancelled or completes later', async () => {
    for (const error of [new CancelledFailure('Cancelled'), new CompleteAsyncError()])
      expect(await attempt(() => Promise.reject(error), {})).toBe(error);
  });
});

describe('a failure that cannot be recorded as it is', () => {
  const { failureConverter, payloadConverter } = defaultDataConverter;
  const recorded = (error: unknown): ReturnType<typeof failureConverter.errorToFailure> =>
    failureConverter.errorToFailure(toFailure(error, redactSecrets), payloadConverter);
  const delayed = (nextRetryDelay: number): ApplicationFailure =>
    ApplicationFailure.create({ message: 'Wait.', type: 'Model.RateLimited', nextRetryDelay });

  test.each([Number.POSITIVE_INFINITY, 1e300, 1e15])('has a delay of an hour instead of %d ms', (delay) => {
    const { nextRetryDelay } = recorded(delayed(delay)).applicationFailureInfo ?? {};
    expect(Number(nextRetryDelay?.seconds)).toBe(3_600);
  });

  test.each([0, -1, 0.5, Number.NaN, Number.NEGATIVE_INFINITY])(
    'has no delay instead of %d ms, which the server would take for the end of all attempts',
    (delay) => {
      expect(recorded(delayed(delay)).applicationFailureInfo?.nextRetryDelay ?? null).toBeNull();
    },
  );

  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  const endless = new Error('again');
  endless.cause = endless;
  const unreadable = Object.defineProperty(new Error(), 'message', {
    get: () => {
      throw new Error('not today');
    },
  });
  test.each<[string, unknown]>([
    ['details with a cycle', ApplicationFailure.create({ message: 'm', details: [cycle] })],
    ['details with a big integer', ApplicationFailure.create({ message: 'm', details: [1n] })],
    ['a delay that is not a duration', ApplicationFailure.create({ message: 'm', nextRetryDelay: 'soon' as never })],
    ['a message of ten megabytes', new Error('x'.repeat(10_000_000))],
    ['an endless chain of causes', endless],
    ['a message that cannot be read', unreadable],
    ['an unpaired surrogate', new Error('\ud800')],
    ['no error at all', undefined],
    ['an object without a prototype', Object.create(null)],
    ['a symbol', Symbol('s')],
  ])('is recorded in a form that can be encoded: %s', (_, error) => {
    const failure = recorded(error);
    expect(failure.applicationFailureInfo).toBeDefined();
    expect(Buffer.byteLength(JSON.stringify(failure))).toBeLessThan(100_000);
    expect(failure.message).not.toContain('\ud800');
  });

  test('contains no secret in its message, stack, cause or details', () => {
    const secret = 'AKIAIOSFODNN7EXAMPLE';
    const cause = new Error(`cause ${secret}`);
    const error = new Error(`message ${secret}`, { cause });
    const failure = ApplicationFailure.create({ message: secret, details: [{ in: [secret] }], cause: error });
    const text = JSON.stringify([recorded(error), recorded(failure)], (_, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : value,
    );
    expect(text).not.toContain('AKIA');
    expect(text).toContain('message [secret removed]');
  });
});

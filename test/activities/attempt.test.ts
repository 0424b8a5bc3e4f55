import { ApplicationFailure } from '@temporalio/common';
import { Attempt, interrupted } from '../../activities/attempt';
import { StoreFullError, StoreUnavailableError, WrongStoreError } from '../../domain/store';
import { Attempts } from '../support/activity-environment';

const failureOf = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);
const failing = (error: () => Error) => (): Promise<never> => Promise.reject(error());
const down = failing(() => new StoreFullError('/store'));
const rateLimited = failing(() => ApplicationFailure.create({ type: 'Model.RateLimited', message: 'Slow down.' }));

describe('attempts', () => {
  test.each([
    ['runTurn', 10],
    ['executeTool', 5],
    ['saveSnapshot', 30],
  ])('at %s are limited to %d, without those that end because of the store', async (activity, limit) => {
    const attempts = new Attempts(activity);
    for (let n = 1; n <= limit; n += 1) {
      for (let trouble = 0; trouble < 4; trouble += 1)
        expect(await failureOf(attempts.next(down, undefined))).toMatchObject({
          type: 'Store.Full',
          nonRetryable: false,
        });
      expect(await failureOf(attempts.next(rateLimited, undefined))).toMatchObject({
        type: 'Model.RateLimited',
        nonRetryable: n === limit,
      });
    }
  });

  test.each([
    ['a full store', new StoreFullError('/store')],
    ['a store that cannot be used', new StoreUnavailableError('/store', 'EROFS')],
    ['another store', new WrongStoreError('this', 'that')],
  ])('that end because of %s say since when', async (_, error) => {
    const attempts = new Attempts('runTurn');
    const since = async (): Promise<unknown> =>
      (
        (await failureOf(
          attempts.next(
            failing(() => error),
            undefined,
          ),
        )) as ApplicationFailure
      ).details?.[0];
    const first = await since();
    expect(first).toMatchObject({ since: expect.stringMatching(/^\d{4}-/) as unknown });
    expect(await since()).toEqual(first);
    await failureOf(attempts.next(rateLimited, undefined));
    expect(await since()).toHaveProperty('since');
  });

  test('after which the worker died count, and the next one beyond the limit fails at once', async () => {
    const attempts = new Attempts('runTurn');
    let ran = 0;
    const dies = (): Promise<unknown> => {
      ran += 1;
      return Promise.resolve();
    };
    for (let n = 0; n < 10; n += 1) await attempts.next(dies, undefined);
    expect(await failureOf(attempts.next(dies, undefined))).toMatchObject({ type: 'Worker.Lost', nonRetryable: true });
    expect(ran).toBe(10);
  });
});

describe('attempts at work with several parts', () => {
  const failsAt = (part: number) => (): Promise<never> => {
    Attempt.current().beginPart(part);
    return rateLimited();
  };

  test('are limited for each of them', async () => {
    const attempts = new Attempts('runTurn');
    for (let part = 5; part < 8; part += 1)
      for (let n = 1; n < 10; n += 1)
        expect(await failureOf(attempts.next(failsAt(part), undefined))).toMatchObject({ nonRetryable: false });
    expect(await failureOf(attempts.next(failsAt(7), undefined))).toMatchObject({ nonRetryable: true });
  });

  test('are limited together if their workers died', async () => {
    const attempts = new Attempts('runTurn');
    const diesAt = (part: number) => (): Promise<void> => {
      Attempt.current().beginPart(part);
      return Promise.resolve();
    };
    for (let n = 0; n < 9; n += 1) {
      await failureOf(attempts.next(failsAt(n), undefined));
      await attempts.next(diesAt(n), undefined);
    }
    await attempts.next(diesAt(9), undefined);
    expect(await failureOf(attempts.next(diesAt(9), undefined))).toMatchObject({ type: 'Worker.Lost' });
  });
});

describe('attempts that end because their worker is shutting down', () => {
  test('do not count', async () => {
    const attempts = new Attempts('executeTool');
    const leaving = failing(() => ApplicationFailure.create({ type: 'Worker.ShuttingDown' }));
    for (let n = 0; n < 20; n += 1)
      expect(await failureOf(attempts.next(leaving, undefined))).toMatchObject({ nonRetryable: false });
    for (let n = 1; n <= 5; n += 1)
      expect(await failureOf(attempts.next(rateLimited, undefined))).toMatchObject({ nonRetryable: n === 5 });
  });
});

describe('work that must not be done twice', () => {
  let done: number;
  const once = (before: () => Promise<unknown>, after: () => Promise<unknown>) => async (): Promise<void> => {
    const attempt = Attempt.current();
    attempt.expectOnce();
    await before();
    if (!attempt.beginOnce()) throw interrupted('Tool.Interrupted');
    done += 1;
    await after();
  };
  const nothing = (): Promise<void> => Promise.resolve();

  beforeEach(() => {
    done = 0;
  });

  test('is done after attempts that failed before it began', async () => {
    const attempts = new Attempts('executeTool');
    const missing = failing(() => ApplicationFailure.create({ type: 'Tool.NotOnWorker' }));
    for (const before of [down, missing, down, missing])
      expect(await failureOf(attempts.next(once(before, nothing), undefined))).toMatchObject({ nonRetryable: false });
    await attempts.next(once(nothing, nothing), undefined);
    expect(done).toBe(1);
  });

  test('fails for good when it has begun, also because of the store', async () => {
    const attempts = new Attempts('executeTool');
    expect(await failureOf(attempts.next(once(nothing, down), undefined))).toMatchObject({
      type: 'Store.Full',
      nonRetryable: true,
    });
  });

  test('is not begun again after an attempt whose worker died', async () => {
    const attempts = new Attempts('executeTool');
    await failureOf(attempts.next(once(down, nothing), undefined));
    await attempts.next(once(nothing, nothing), undefined);
    expect(await failureOf(attempts.next(once(nothing, nothing), undefined))).toMatchObject({
      type: 'Tool.Interrupted',
      nonRetryable: true,
    });
    expect(done).toBe(1);
  });
});

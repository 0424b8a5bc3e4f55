import { checkCallLimits } from '../../../activities/agent/request-reply';
import type { ModelPort, ModelRequest } from '../../../activities/dependencies';
import type { CallLimits } from '../../../domain/agent';
import type { CallRefused } from '../../../domain/model';
import { quietEnvironment } from '../../support/activity-environment';

const maxTokens = 100;
const request: ModelRequest = {
  settings: { name: 'm', maxTokens, window: 1_000 },
  system: '',
  tools: [],
  messages: [],
};
const price = { input: 1, cacheRead: 0.1, cacheWrite: 2, output: 5 };

interface Counting {
  readonly admission: CallLimits;
  /** The provider's token count, or an error if it cannot count. */
  readonly counted: number | Error;
  readonly signal?: AbortSignal;
}

async function admit({ admission, counted, signal = new AbortController().signal }: Counting) {
  let asked = 0;
  const model: ModelPort = {
    nativeStructuredOutput: false,
    reply: () => Promise.reject(new Error('asked')),
    countTokens: () => {
      asked += 1;
      return counted instanceof Error ? Promise.reject(counted) : Promise.resolve(counted);
    },
  };
  const verdict: CallRefused | undefined = await quietEnvironment().run(
    (given: CallLimits) => checkCallLimits(model, request, given, signal),
    admission,
  );
  return { verdict, asked };
}

describe('a call that might exceed a limit', () => {
  test('is made when the provider counts less than was estimated', async () => {
    const { verdict, asked } = await admit({ admission: { estimate: 900, window: 600 }, counted: 600 });
    expect(verdict).toBeUndefined();
    expect(asked).toBe(1);
  });

  test('is not made when it has more tokens than the context window allows', async () => {
    const { verdict } = await admit({ admission: { estimate: 900, window: 600 }, counted: 601 });
    expect(verdict).toEqual({ notAsked: 'window', message: 'the next call is 601 tokens; the limit is 600' });
  });

  test('uses the estimate when the provider cannot count', async () => {
    const counted = new Error('overloaded');
    expect((await admit({ admission: { estimate: 601, window: 600 }, counted })).verdict?.notAsked).toBe('window');
    expect((await admit({ admission: { estimate: 600, window: 600 }, counted })).verdict).toBeUndefined();
  });

  test('is abandoned when the run is stopped while tokens are counted', async () => {
    const stopped = new Error('stopped');
    const signal = AbortSignal.abort();
    await expect(admit({ admission: { estimate: 1, window: 600 }, counted: stopped, signal })).rejects.toThrow(
      'stopped',
    );
  });

  test('must leave room in the budget for the longest reply', async () => {
    const admission = { estimate: 900, budget: { tokens: 700 } };
    expect((await admit({ admission, counted: 600 })).verdict).toBeUndefined();
    expect((await admit({ admission, counted: 601 })).verdict).toEqual({
      notAsked: 'budget',
      message: expect.stringMatching(
        /could take up to 701 tokens, but only 700 tokens of the budget are left/,
      ) as unknown,
    });
  });

  test('is estimated at the highest price that its tokens may have', async () => {
    // 600 tokens written to the cache and 100 of output.
    const admission = { estimate: 900, budget: { microUsd: 1_700 }, price };
    expect((await admit({ admission, counted: 600 })).verdict).toBeUndefined();
    expect((await admit({ admission, counted: 601 })).verdict).toEqual({
      notAsked: 'budget',
      message: expect.stringContaining('could cost up to $0.001702') as unknown,
    });
  });

  test('counts as one turn, whatever its size', async () => {
    const { verdict } = await admit({ admission: { estimate: 1, budget: { turns: 0 } }, counted: 1 });
    expect(verdict).toMatchObject({ notAsked: 'budget', message: expect.stringContaining('1 turn') as unknown });
  });

  test('reports a full context window before an exhausted budget, because only then a handoff can help', async () => {
    const admission = { estimate: 900, window: 600, budget: { tokens: 10 } };
    expect((await admit({ admission, counted: 601 })).verdict?.notAsked).toBe('window');
  });
});

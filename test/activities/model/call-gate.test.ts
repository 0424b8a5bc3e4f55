import { CallGate, type GateRequest } from '../../../activities/model/call-gate';
import { readRateHeaders } from '../../../activities/model/rate-headers';
import { spreadRetry } from '../../../activities/spread-retry';
import { modelFailure } from '../../../activities/model/provider-failure';

function request(more: Partial<GateRequest> = {}): GateRequest {
  const { signal } = new AbortController();
  return { key: 'a', promptTokens: 0, maxReplyTokens: 0, signal, onWait: () => undefined, ...more };
}

describe('the gate of a worker', () => {
  test('lets those who wait through one after the other, and run by run', async () => {
    const gate = new CallGate('claude-*', { concurrent: 1 });
    const first = await gate.pass(request());
    const order: string[] = [];
    const waits: (string | undefined)[] = [];
    const pass = async (key: string, name: string): Promise<void> => {
      const passed = await gate.pass(request({ key, onWait: (text) => waits.push(text) }));
      order.push(name);
      passed.leave();
    };
    const all = [pass('a', 'a1'), pass('a', 'a2'), pass('b', 'b1')];
    expect(waits).toEqual(Array(3).fill("the provider's rate limit (claude-*)"));
    first.leave();
    first.leave();
    await Promise.all(all);
    expect(order).toEqual(['a1', 'b1', 'a2']);
    expect(waits.slice(3)).toEqual([undefined, undefined, undefined]);
  });

  test('stops waiting at once when the call is cancelled, and others go on', async () => {
    const gate = new CallGate('claude-*', { concurrent: 1 });
    const first = await gate.pass(request());
    const controller = new AbortController();
    const cancelled = gate.pass(request({ signal: controller.signal }));
    const next = gate.pass(request());
    controller.abort();
    await expect(cancelled).rejects.toMatchObject({ name: 'AbortError' });
    await expect(gate.pass(request({ signal: AbortSignal.abort() }))).rejects.toMatchObject({ name: 'AbortError' });
    first.leave();
    (await next).leave();
  });

  test('does not hold a slot for a long wait: the server waits, for a little longer than needed', async () => {
    const gate = new CallGate('claude-*', { requestsPerMinute: 60 });
    gate.told({ retryAfterMs: 30_000 });
    const failure = await gate.pass(request()).catch((error: unknown) => error);
    expect(failure).toMatchObject({ type: 'Model.AtLimit', nonRetryable: false, category: 'BENIGN' });
    const { nextRetryDelay } = failure as { nextRetryDelay: number };
    expect(nextRetryDelay).toBeGreaterThanOrEqual(29_000);
    expect(nextRetryDelay).toBeLessThanOrEqual(48_000);
  });

  test('keeps the rate for requests that come all at once', async () => {
    const gate = new CallGate('claude-*', { requestsPerMinute: 1_200 });
    const begun = performance.now();
    await Promise.all(Array.from({ length: 22 }, async () => (await gate.pass(request())).leave()));
    // Two at once, and 20 at 50 ms each. Timers may be early by a millisecond.
    expect(performance.now() - begun).toBeGreaterThan(950);
  });
});

describe('headers about limits', () => {
  const now = Date.parse('2026-11-17T12:00:00Z');
  test.each([
    [
      { 'anthropic-ratelimit-requests-remaining': '3', 'anthropic-ratelimit-requests-reset': '2026-11-17T12:00:10Z' },
      { requests: { left: 3, resetMs: 10_000 }, tokens: undefined },
    ],
    [
      { 'anthropic-ratelimit-input-tokens-remaining': '500', 'anthropic-ratelimit-output-tokens-remaining': '20' },
      { requests: undefined, tokens: { left: 20, resetMs: undefined } },
    ],
    [
      { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '1m30.5s' },
      { requests: { left: 0, resetMs: 90_500 }, tokens: undefined },
    ],
    [
      { 'x-ratelimit-remaining-tokens': '7', 'x-ratelimit-reset-tokens': '20ms' },
      { requests: undefined, tokens: { left: 7, resetMs: 20 } },
    ],
    [{ 'x-ratelimit-remaining-tokens': 'many', 'x-ratelimit-remaining-requests': '-1' }, undefined],
    [{ 'content-type': 'text/plain' }, undefined],
  ])('%j', (headers, expected) => {
    expect(readRateHeaders(new Headers(headers as Record<string, string>), now)).toEqual(expected);
  });

  test.each(['1', '1.1', '1m', '1.', ' 1', '1m '])('take no time, however long they repeat %j', (part) => {
    const began = process.cpuUsage().user;
    for (const name of ['x-ratelimit-remaining-tokens', 'x-ratelimit-reset-tokens', 'anthropic-ratelimit-tokens-reset'])
      for (const repeated of [28, 15_000]) {
        const headers = { 'x-ratelimit-remaining-tokens': '1', [name]: `${part.repeat(repeated)}x` };
        readRateHeaders(new Headers(headers), now);
      }
    expect((process.cpuUsage().user - began) / 1_000).toBeLessThan(2_000);
  });
});

describe('retries of model calls', () => {
  const policy = {
    attempt: 3,
    retryPolicy: { initialInterval: 1_000, backoffCoefficient: 2, maximumInterval: 60_000 },
  };
  const failed = (delayMs?: number) => modelFailure('Model.RateLimited', '429', { delayMs });

  test.each([
    ['the delay that the provider asked for', 30_000, 30_000, 45_000],
    ['the delay of the retry policy', undefined, 4_000, 6_000],
    ['an hour, of which only a minute more', 3_600_000, 3_600_000, 3_660_000],
  ])('come after %s, and up to half of it later', (_, asked, least, most) => {
    expect(spreadRetry(failed(asked), policy, () => 0).nextRetryDelay).toBe(least);
    expect(spreadRetry(failed(asked), policy, () => 1).nextRetryDelay).toBe(most);
  });

  test('that are not made stay as they are', () => {
    const final = modelFailure('Model.Unauthorized', '401');
    expect(spreadRetry(final, policy, () => 1)).toBe(final);
  });
});

import { FairQueue, Gate } from '../../../domain/limit';
import { describeLimit, limitOf, parseModelLimits } from '../../../domain/limit/model-limits';

/** Sends as many requests as a gate lets through until a time, and returns when. */
function sentUntil(gate: Gate, endMs: number, tokens = 0): number[] {
  const sent: number[] = [];
  for (let now = 0; now <= endMs;) {
    const wait = gate.wait(tokens, now);
    if (wait > 0) {
      now += wait;
      continue;
    }
    gate.enter(tokens, now);
    gate.leave(tokens, { prompt: tokens, reply: 0 }, now);
    sent.push(now);
  }
  return sent;
}

describe('a gate', () => {
  test('spreads requests over the minute, and lets no burst through', () => {
    const sent = sentUntil(new Gate({ requestsPerMinute: 1_200 }, 0), 10_000);
    expect(sent.length).toBeGreaterThanOrEqual(200);
    expect(sent.length).toBeLessThanOrEqual(203);
    const perSecond = [0, 1, 5, 9].map((second) => sent.filter((at) => Math.floor(at / 1_000) === second).length);
    for (const count of perSecond) expect(count).toBeLessThanOrEqual(22);
  });

  test('keeps its share if several workers have the same limit, so that together they send no more than one of them', () => {
    const sentBy = (workers: number): number[] => {
      const gates = Array.from({ length: workers }, () => new Gate({ requestsPerMinute: 285 }, 0));
      for (const gate of gates) gate.shareAmong(workers, 0);
      return gates.flatMap((gate) => sentUntil(gate, 20_000)).sort((a, b) => a - b);
    };
    for (const workers of [1, 2, 4]) {
      const sent = sentBy(workers);
      // A provider that allows 5 requests a second, and lets a second's worth be saved up.
      for (const [index, at] of sent.entries()) expect(index + 1).toBeLessThanOrEqual(5 + 5 * (at / 1_000));
      // Nothing of the limit is wasted.
      expect(sent.length).toBeGreaterThanOrEqual(95);
    }
  });

  test('never makes a worker wait for more than a second because others share its limit, and forgets those that left', () => {
    const gate = new Gate({ requestsPerMinute: 120 }, 0);
    gate.shareAmong(10, 0);
    gate.enter(0, 0);
    expect(gate.wait(0, 0)).toBe(1_000);
    gate.shareAmong(1, 0);
    expect(gate.wait(0, 0)).toBe(500);
    const slow = new Gate({ requestsPerMinute: 20 }, 0);
    slow.shareAmong(10, 0);
    slow.enter(0, 0);
    expect(slow.wait(0, 0)).toBe(3_000);
  });

  test('counts tokens, and lets a request through that is larger than what can be saved up', () => {
    const gate = new Gate({ tokensPerMinute: 6_000 }, 0);
    expect(gate.wait(5_000, 0)).toBe(0);
    gate.enter(5_000, 0);
    // 1,000 were there, so 4,000 have to be made up for, at 100 in a second, and 500 are needed.
    expect(gate.wait(500, 0)).toBe(45_000);
    gate.leave(5_000, { prompt: 4_000, reply: 500 }, 0);
    expect(gate.wait(500, 0)).toBe(40_000);
  });

  test('reserves as much for replies as they usually need', () => {
    const gate = new Gate({ tokensPerMinute: 60_000 }, 0);
    expect(gate.estimate(200, 100)).toBe(300);
    expect(gate.estimate(200, 8_000)).toBe(1_200);
    for (let call = 0; call < 50; call += 1) {
      gate.enter(1_200, call);
      gate.leave(1_200, { prompt: 200, reply: 50 }, call);
    }
    expect(gate.estimate(200, 8_000)).toBeLessThan(260);
  });

  test('lets only so many through at a time, whether they succeed or fail', () => {
    const gate = new Gate({ concurrent: 2 }, 0);
    gate.enter(0, 0);
    gate.enter(0, 0);
    expect(gate.wait(0, 1_000_000)).toBe(Infinity);
    gate.leave(0, undefined, 1);
    expect(gate.wait(0, 1)).toBe(0);
  });

  test('closes while the provider asks to wait, and then lets one after the other through', () => {
    const gate = new Gate({ requestsPerMinute: 600 }, 0);
    gate.told({ retryAfterMs: 30_000 }, 0);
    expect(gate.wait(0, 0)).toBe(30_000);
    expect(gate.expectedWait(3, 0, 0)).toBeGreaterThan(30_000);
    expect(gate.wait(0, 30_000)).toBe(0);
    gate.enter(0, 30_000);
    expect(gate.wait(0, 30_000)).toBe(100);
  });

  test('allows less than configured if the provider has less left, and never more', () => {
    const gate = new Gate({ requestsPerMinute: 60, tokensPerMinute: 60_000 }, 0);
    gate.told({ requests: { left: 0, resetMs: undefined }, tokens: { left: 1_000_000, resetMs: undefined } }, 0);
    expect(gate.wait(0, 0)).toBe(1_000);
    expect(gate.wait(10_000, 1_000)).toBe(0);
    gate.told({ tokens: { left: 0, resetMs: 5 } }, 1_000);
    expect(gate.wait(1_000, 1_000)).toBe(1_000);
  });

  test.each([[Number.NaN], [-5], [0]])('ignores a delay of %d', (retryAfterMs) => {
    const gate = new Gate({ requestsPerMinute: 60 }, 0);
    gate.told({ retryAfterMs }, 0);
    expect(gate.wait(0, 0)).toBe(0);
  });

  test('stays closed for an hour at most', () => {
    const gate = new Gate({ concurrent: 1 }, 0);
    gate.told({ requests: { left: 0, resetMs: 1e15 } }, 0);
    expect(gate.wait(0, 0)).toBe(3_600_000);
  });
});

describe('a fair queue', () => {
  test('gives every key its turn, however much the others have', () => {
    const queue = new FairQueue<string>();
    for (const item of ['a1', 'a2', 'a3', 'a4']) queue.add('a', item);
    queue.add('b', 'b1');
    queue.add('b', 'b2');
    const order: string[] = [];
    for (let item = queue.first; item !== undefined; item = queue.first) {
      order.push(item);
      queue.removeFirst();
    }
    expect(order).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'a4']);
  });

  test('forgets those who leave, and nobody else loses a turn', () => {
    const queue = new FairQueue<string>();
    queue.add('a', 'a1');
    queue.add('a', 'a2');
    queue.add('b', 'b1');
    queue.remove('a', 'a1');
    queue.remove('c', 'c1');
    expect(queue.first).toBe('a2');
    queue.remove('a', 'a2');
    expect(queue.items).toEqual(['b1']);
    queue.remove('b', 'b1');
    expect(queue.first).toBeUndefined();
  });
});

describe('limits of models', () => {
  test.each([
    [['claude-*'], 'claude-opus-5-5', 'claude-*'],
    [['claude-*'], 'anthropic:claude-opus-5-5', 'claude-*'],
    [['anthropic:*'], 'claude-opus-5-5', 'anthropic:*'],
    [['claude-*'], 'openai:claude-like', undefined],
    [['claude-opus-*', 'claude-*'], 'claude-opus-5-5', 'claude-opus-*'],
    [['*'], 'acme:team/model', '*'],
    [[], 'claude-opus-5-5', undefined],
  ])('%j: %s has the limit %s', (patterns, model, expected) => {
    expect(limitOf(patterns, model)).toBe(expected);
  });

  test.each([
    [{ 'claude-*': {} }, 'limits.claude-*: must have requestsPerMinute, tokensPerMinute or concurrent'],
    [{ 'claude-*': { requestsPerMinute: 0 } }, 'limits.claude-*.requestsPerMinute'],
    [{ 'claude-*': { requestsPerSecond: 5 } }, 'requestsPerSecond'],
    [{ 'a b': { concurrent: 1 } }, 'must be the name of a model'],
    ['claude', 'limits'],
  ])('%j is refused: %s', (value, message) => {
    expect(() => parseModelLimits(value)).toThrow(message);
  });

  test('are described in one line', () => {
    expect(describeLimit({ requestsPerMinute: 50, tokensPerMinute: 80_000, concurrent: 4 })).toBe(
      '50 requests and 80000 tokens per minute, 4 at a time',
    );
  });
});

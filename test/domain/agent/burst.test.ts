import fc from 'fast-check';
import { type Burst, mayGoOn, nextInBurst, type Turn, untoldInBurst } from '../../../domain/agent';

const burst: Burst = { turns: 8, window: 100_000 };
const turn = (more: Partial<Turn> = {}, digest = 'd1'): Turn => ({
  ran: [{ id: 'c1', name: 'list_files', about: '{}', bytes: 100, digest, ms: 1 }],
  head: { hash: 'a'.repeat(64), bytes: 10 },
  stopReason: 'toolCalls',
  usage: [1_000, 0, 0, 100],
  ms: 5,
  ...more,
});
const ran = (more: object): Partial<Turn> => ({ ran: [{ ...turn().ran?.[0], ...more } as never] });
const goesOn = (turns: readonly Turn[], limits: Partial<Burst> = {}): boolean =>
  mayGoOn({ ...burst, ...limits }, { turns, maxTokens: 1_000 });

describe('a burst goes on', () => {
  test('after a turn whose calls all ran and left nothing to judge', () => {
    expect(goesOn([turn()])).toBe(true);
    expect(goesOn([turn(ran({ events: [{ type: 'noteAdded', value: { text: 'x', by: 'me' } }] }))])).toBe(true);
    expect(goesOn([turn(ran({ isError: true }))])).toBe(true);
  });

  test.each<[string, Partial<Turn>]>([
    ['an answer', { stopReason: 'done', ran: [] }],
    ['a reply that was cut off', { stopReason: 'outputLimit' }],
    [
      'a call that is left to the workflow',
      { calls: [{ id: 'c2', name: 'x', input: { text: '{}' }, index: 1, why: 'once' }] },
    ],
    ['a changed file', ran({ changes: [{ path: 'a', base: null, next: null }] })],
    ['a file that others had changed', ran({ seen: ['a'] })],
    [
      'a decision, which may be refused',
      ran({ events: [{ type: 'noteAdded', value: { text: 'x', by: 'me', kind: 'decision' } }] }),
    ],
    ['an event of another slice', ran({ events: [{ type: 'stepDone', value: { step: 1 } }] })],
  ])('but not after %s', (_, more) => {
    expect(goesOn([turn(more)])).toBe(false);
  });

  test('but not when a turn did the same as an earlier one', () => {
    expect(goesOn([turn({}, 'd1'), turn({}, 'd2')])).toBe(true);
    expect(goesOn([turn({}, 'd1'), turn({}, 'd2'), turn({}, 'd1')])).toBe(false);
  });

  test('but not beyond its turns, its context window, or what its results may take in history', () => {
    expect(goesOn([turn({}, 'a'), turn({}, 'b')], { turns: 2 })).toBe(false);
    expect(goesOn([turn()], { window: 1_150 })).toBe(false);
    expect(goesOn([turn()], { window: 5_000 })).toBe(true);
    expect(goesOn([turn(ran({ about: 'x'.repeat(25_000) }))])).toBe(false);
  });

  test('only while every next call fits into what is left of the budget, whatever the turns used', () => {
    const usage = fc.tuple(fc.nat(5_000), fc.nat(5_000), fc.nat(5_000), fc.nat(1_000));
    fc.assert(
      fc.property(fc.array(usage, { minLength: 1, maxLength: 7 }), fc.nat(60_000), (usages, tokens) => {
        const turns = usages.map((counts, index) => turn({ usage: counts }, `d${index}`));
        const spent = usages.flat().reduce((sum, count) => sum + count, 0);
        const last = (usages.at(-1) ?? []).reduce((sum, count) => sum + count, 0);
        // The next request repeats the conversation, and its reply may be as long as allowed.
        if (goesOn(turns, { budget: { tokens } })) expect(spent + last + 1_000).toBeLessThanOrEqual(tokens);
      }),
    );
  });
});

test('the next turn continues from the last one under the next number, and sends what ran', () => {
  const input = {
    runId: 'r',
    storeId: 's',
    head: { hash: 'b'.repeat(64), bytes: 1 },
    identity: { execution: 'e', call: 3, try: 1 },
    told: { notes: ['x'] },
    admission: { estimate: 5 },
    inside: { maxResultBytes: 9 },
  };
  expect(nextInBurst(input, turn())).toEqual({
    runId: 'r',
    storeId: 's',
    head: turn().head,
    identity: { execution: 'e', call: 4, try: 1 },
    told: { ran: 1 },
    inside: { maxResultBytes: 9 },
  });
});

test('what the session refused later is told with the next call', () => {
  const outcome = { callId: 'c1', isError: true, stored: { try: 0, bytes: 1, digest: 'd' } };
  expect(untoldInBurst({ notes: ['a'], outcomes: [outcome, { ...outcome, verdict: { complaint: 'full' } }] })).toEqual([
    'a',
    'Not recorded after all:\nfull',
  ]);
});

import fc from 'fast-check';
import { defaultNotices, noticeAbout, type Resource, type Told } from '../../../domain/budget';

const tokens = (left: number, limit = 1_000): Resource => ({ name: 'tokens', limit, left, then: 'stop' });
const window = (left: number, limit = 1_000): Resource => ({ name: 'window', limit, left, then: 'handOff' });

describe('what an agent is told about what is left', () => {
  test('is nothing while there is enough, and the figures once a share is reached', () => {
    expect(noticeAbout([tokens(251), window(600)], {}, defaultNotices)).toEqual({ text: undefined, told: {} });
    const { text, told } = noticeAbout([tokens(250), window(600)], {}, defaultNotices);
    expect(text).toContain('budget: 250 of 1000 tokens are left for you and your delegations.');
    expect(text).not.toContain('context window');
    expect(told).toEqual({ tokens: 0.25 });
  });

  test('is one message for everything that is new, and nothing that was said before', () => {
    const { text, told } = noticeAbout([tokens(90), window(240)], { tokens: 0.25 }, defaultNotices);
    expect(text).toContain('90 of 1000 tokens');
    expect(text).toContain('240 of 1000 tokens are left for this conversation');
    expect(told).toEqual({ tokens: 0.1, window: 0.25 });
    expect(noticeAbout([tokens(80), window(200)], told, defaultNotices)).toEqual({ text: undefined, told });
  });

  test('begins again when an operator has added to it', () => {
    const raised = noticeAbout([tokens(2_080, 3_000)], { tokens: 0.1 }, defaultNotices);
    expect(raised).toEqual({ text: undefined, told: {} });
    expect(noticeAbout([tokens(600, 3_000)], raised.told, defaultNotices).text).toContain('600 of 3000');
    // A little more, but still low: the lower share is announced again, the higher one is not.
    const alittle = noticeAbout([tokens(200)], { tokens: 0.1 }, defaultNotices);
    expect(alittle).toEqual({ text: undefined, told: { tokens: 0.25 } });
    expect(noticeAbout([tokens(100)], alittle.told, defaultNotices).text).toContain('100 of 1000');
  });

  test('names dollars and turns, and can be switched off', () => {
    const resources: Resource[] = [
      { name: 'microUsd', limit: 2_000_000, left: 123_456, then: 'stop' },
      { name: 'turns', limit: 20, left: 5, then: 'stop' },
      { name: 'ownTurns', limit: 8, left: 2, then: 'stop' },
    ];
    const { text } = noticeAbout(resources, {}, defaultNotices);
    expect(text).toContain('$0.123456 of $2');
    expect(text).toContain('5 of 20 turns are left for you and your delegations');
    expect(text).toContain('2 of your 8 turns are left');
    expect(noticeAbout(resources, {}, [])).toEqual({ text: undefined, told: {} });
  });

  test('is said once per share, whatever is spent per turn', () => {
    const spending = fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 60 });
    const shares = fc.uniqueArray(fc.double({ min: 0.01, max: 0.99, noNaN: true }), { maxLength: 4 });
    fc.assert(
      fc.property(spending, shares, (spent, at) => {
        let left = 1_000;
        let told: Told = {};
        const said: number[] = [];
        for (const amount of spent) {
          left = Math.max(0, left - amount);
          const notice = noticeAbout([tokens(left)], told, at);
          if (notice.text !== undefined) said.push(left);
          ({ told } = notice);
        }
        const reached = at.filter((share) => left <= share * 1_000);
        expect(said.length).toBeLessThanOrEqual(reached.length);
        expect(said.length > 0).toBe(reached.length > 0);
        // Whatever the last notice said, no share was reached since.
        const lastSaid = said.at(-1) ?? 1_000;
        expect(at.some((share) => left <= share * 1_000 && lastSaid > share * 1_000)).toBe(false);
      }),
    );
  });
});

import { anchorShift } from '../../../page/tree/anchor';
import { scrollTo, windowOf } from '../../../page/tree/window';

describe('the mounted rows', () => {
  test('cover what is visible, and never exceed 76', () => {
    for (const height of [0, 28, 600, 1_400, 5_000])
      for (let top = 0; top <= 2_000 * 28; top += 997) {
        const { first, last } = windowOf(top, height, 28, 2_000);
        expect(last - first).toBeLessThanOrEqual(76);
        expect(first * 28).toBeLessThanOrEqual(top);
        const end = Math.min(top + Math.min(height, 70 * 28), 2_000 * 28);
        expect(last * 28).toBeGreaterThanOrEqual(end);
      }
  });

  test('of a short list are all', () => {
    expect(windowOf(0, 600, 28, 3)).toEqual({ first: 0, last: 3 });
    expect(windowOf(900, 600, 28, 0)).toEqual({ first: 0, last: 0 });
  });
});

test('scrolling shows a row with the least movement', () => {
  expect(scrollTo(2, 0, 280, 28)).toBe(0);
  expect(scrollTo(20, 0, 280, 28)).toBe(308);
  expect(scrollTo(1, 308, 280, 28)).toBe(28);
});

describe('rows that are added or removed above', () => {
  const indexes = (keys: string): Map<string, number> => new Map(keys.split('').map((key, index) => [key, index]));

  test('are scrolled over, so that the row under the pointer stays', () => {
    expect(anchorShift(indexes('abcdef'), indexes('xyabcdef'), 2, ['d'])).toBe(2);
    expect(anchorShift(indexes('abcdef'), indexes('cdef'), 2, [null])).toBe(-2);
  });

  test('leave the next visible row in place if the first is removed', () => {
    expect(anchorShift(indexes('abcdef'), indexes('xabef'), 2, [null, 'q'])).toBe(-1);
  });

  test('do not matter if nothing of before is left', () => {
    expect(anchorShift(indexes('ab'), indexes('cd'), 0, [])).toBe(0);
  });
});

import { planOf } from '../../scripts/soak/plan';

describe('the options of a soak', () => {
  test('have defaults', () => {
    expect(planOf([])).toEqual({ minutes: 10, warmUp: 1, rate: 30, workers: 2, keep: 30, out: undefined });
    expect(planOf(['--minutes', '0.5', '--rate=60', '--workers', '1', '--keep', '0', '--out', 'x.jsonl'])).toEqual({
      ...{ minutes: 0.5, warmUp: 0.05, rate: 60, workers: 1, keep: 0, out: 'x.jsonl' },
    });
    expect(planOf(['--help'])).toBeUndefined();
  });

  test.each([
    [['--minutes', 'ten'], '--minutes must be a number from 0.1 to 10000, not "ten".'],
    [['--minutes', '0'], '--minutes must be a number from 0.1 to 10000, not "0".'],
    [['--warm-up', '6'], '--warm-up must be a number from 0 to 5, not "6".'],
    [['--rate', '1e3'], '--rate must be a number from 1 to 600, not "1e3".'],
    [['--workers', '1.5'], '--workers must be a whole number from 1 to 16, not "1.5".'],
    [['--keep='], '--keep must be a number from 0 to 86400, not "".'],
    [['--speed', '3'], "Unknown option '--speed'"],
    [['60'], 'Unexpected argument'],
    [['--minutes'], 'argument missing'],
  ])('%p is refused in a sentence', (args, sentence) => {
    expect(() => planOf(args)).toThrow(sentence);
  });
});

import type { ViewSegment } from '../../../client/view/run-view';
import { foldedWidth, idlePeriods, makeAxis, roundedEnd, ticksOf, workingPeriods } from '../../../page/timeline/axis';
import { barsOf } from '../../../page/timeline/bars';

const minute = 60_000;
const hour = 60 * minute;
const segment = (kind: ViewSegment['kind'], from: number, to: number | null): ViewSegment => ({
  kind,
  from,
  to,
  turn: 1,
  label: '',
  isError: false,
});

describe('idle time', () => {
  const segments = [
    segment('model', 0, minute),
    segment('tool', minute, 2 * minute),
    segment('wait', 2 * minute, hour),
    segment('model', hour + 2 * minute, hour + 4 * minute),
  ];
  const run = { from: 0, to: hour + 4 * minute };
  const working = workingPeriods(segments, run.to);

  test('is where nothing works, and waiting is not working', () => {
    expect(working).toEqual([
      { from: 0, to: 2 * minute },
      { from: hour + 2 * minute, to: hour + 4 * minute },
    ]);
    expect(idlePeriods(run, working)).toEqual([{ from: 2 * minute, to: hour + 2 * minute }]);
  });

  test('is folded to a fixed width, and the rest shares what is left', () => {
    const axis = makeAxis(run, idlePeriods(run, working), 424);
    expect(axis.parts.map(({ x, width }) => [x, width])).toEqual([
      [0, 200],
      [200, foldedWidth],
      [224, 200],
    ]);
    expect(axis.x(minute)).toBe(100);
    expect(axis.x(hour + 3 * minute)).toBe(324);
    expect(axis.x(32 * minute)).toBe(212);
  });

  test('of less than a minute, or of a small part of the run, is not folded', () => {
    expect(idlePeriods({ from: 0, to: 100_000 }, [{ from: 59_000, to: 100_000 }])).toEqual([]);
    const long = [
      { from: 0, to: 50 * hour },
      { from: 52 * hour, to: 100 * hour },
    ];
    expect(idlePeriods({ from: 0, to: 100 * hour }, long)).toEqual([]);
  });

  test('at the end is folded too, as for a run that waits for a decision', () => {
    expect(idlePeriods({ from: 0, to: hour }, [{ from: 0, to: minute }])).toEqual([{ from: minute, to: hour }]);
  });
});

describe('bars', () => {
  const axis = makeAxis({ from: 0, to: 1_000 }, [], 1_000);

  test('begin and end where their segments do, and last until now if they are open', () => {
    const bars = barsOf(
      [segment('model', 100, 300), segment('tool', 300, 350), segment('model', 400, null)],
      axis,
      700,
    );
    expect(bars.map(({ kind, x, width }) => [kind, x, width])).toEqual([
      ['model', 100, 200],
      ['tool', 300, 50],
      ['model', 400, 300],
    ]);
  });

  test('are at least 2 px wide, and those that touch become one', () => {
    expect(barsOf([segment('tool', 10, 10)], axis, 0)).toMatchObject([{ x: 10, width: 2 }]);
    const many = Array.from({ length: 500 }, (_, index) => segment('model', index, index + 1));
    expect(barsOf(many, axis, 0)).toMatchObject([{ x: 0, width: 501 }]);
  });
});

describe('the axis', () => {
  test('has labels at round times that do not overlap', () => {
    const ticks = ticksOf(makeAxis({ from: 7, to: 7 + 41 * minute }, [], 500), 7);
    expect(ticks.map(({ time }) => (time - 7) / minute)).toEqual([0, 10, 20, 30, 40]);
  });

  test('of a run that works ends ahead of now, and moves rarely', () => {
    const ends = Array.from({ length: 60 }, (_, second) => roundedEnd(0, 41 * minute + second * 1_000));
    expect(new Set(ends).size).toBeLessThanOrEqual(2);
    expect(Math.min(...ends)).toBeGreaterThan(42 * minute);
    expect(Math.max(...ends)).toBeLessThan(60 * minute);
  });
});

import { checkpointStart } from '../../../domain/transcript';
import { maxPackedBytes } from '../../../domain/transcript/pack';
import { fetched, step } from './steps';

test('every 16th link packs the 16 before it, every 256th the 256 before it', () => {
  const steps = Array.from({ length: 600 }, (_, index) => step(index, []));
  const due = steps.map((_, index) => [index, checkpointStart(steps.slice(0, index))] as const);
  const packs = due.filter(([, from]) => from !== undefined);
  expect(packs.slice(0, 2)).toEqual([
    [16, 0],
    [32, 16],
  ]);
  expect(packs.filter(([index, from]) => index - from! !== 16)).toEqual([
    [256, 0],
    [512, 256],
  ]);
  expect(packs.length).toBe(Math.floor(599 / 16));
});

test('a 256th link packs the 16 before it if most of the 256 could only be named', () => {
  const large = fetched('large', 'x'.repeat(maxPackedBytes + 1));
  const withSmall = (count: number) =>
    Array.from({ length: 256 }, (_, index) => step(index, index < count ? [] : [large]));
  expect(checkpointStart(withSmall(127))).toBe(240);
  expect(checkpointStart(withSmall(128))).toBe(0);
});

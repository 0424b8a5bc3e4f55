import { checkpointStart } from '../../../domain/transcript';

test('every 16th link packs the 16 before it, every 256th the 256 before it', () => {
  const due = Array.from({ length: 600 }, (_, index) => [index, checkpointStart(index)] as const);
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

import type { Reading } from './gauge';

/**
 * Returns the height in `hours` hours, from the trend of the last two readings: good enough for the next hour, not for
 * a day.
 */
export function forecast(readings: readonly Reading[], hours: number): number | undefined {
  const [before, now] = readings.slice(-2);
  if (before === undefined || now === undefined) return undefined;
  return now.centimetres + (now.centimetres - before.centimetres) * hours;
}

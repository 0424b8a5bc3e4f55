/**
 * Returns the height in `hours` hours, from the trend of the last two readings: good enough for the next hour, not for
 * a day.
 *
 * @param {readonly import('./gauge.js').Reading[]} readings
 * @param {number} hours
 * @returns {number | undefined}
 */
export function forecast(readings, hours) {
  const [before, now] = readings.slice(-2);
  if (before === undefined || now === undefined) return undefined;
  return now.centimetres + (now.centimetres - before.centimetres) * hours;
}

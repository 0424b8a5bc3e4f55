/**
 * One reading of a gauge.
 *
 * @typedef {{ station: string, takenAt: string, centimetres: number }} Reading
 */

/**
 * A gauge that sticks reports the same value for hours; three equal readings in a row are treated as no reading.
 *
 * @param {readonly Reading[]} readings
 * @returns {boolean}
 */
export function isStuck(readings) {
  const last = readings.slice(-3).map(({ centimetres }) => centimetres);
  return last.length === 3 && new Set(last).size === 1;
}

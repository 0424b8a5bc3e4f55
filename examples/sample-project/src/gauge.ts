/** One reading of a gauge. */
export interface Reading {
  readonly station: string;
  readonly takenAt: string;
  readonly centimetres: number;
}

/** A gauge that sticks reports the same value for hours; three equal readings in a row are treated as no reading. */
export function isStuck(readings: readonly Reading[]): boolean {
  const last = readings.slice(-3).map(({ centimetres }) => centimetres);
  return last.length === 3 && new Set(last).size === 1;
}

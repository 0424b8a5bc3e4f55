/** Turns of the run with Baton. */
export const turnsOfBaton = 1_000;
/**
 * Turns of the run with messages by value. The server would terminate it after about 140 turns because its history is
 * too large.
 */
export const turnsByValue = 110;
/** Bytes of one tool result. */
const resultBytes = 5_000;

/** Returns `resultByteLimit` bytes that differ in every turn. */
export function noise(seed: number): string {
  return `${seed} `.repeat(resultBytes).slice(0, resultBytes);
}

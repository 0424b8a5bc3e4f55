export const turnsOfBaton = 1_000;
/** By value the server ends a run at about 140 turns, when its history is too large. */
export const turnsByValue = 110;
export const resultBytes = 5_000;

/** So many bytes, different in every turn. */
export function noise(seed: number): string {
  return `${seed} `.repeat(resultBytes).slice(0, resultBytes);
}

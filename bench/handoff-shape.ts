/** Turns of the run. */
export const turnsOfWork = 1_000;
/** Context window of the model, in tokens. */
export const window = 20_000;
/** Bytes of one tool result. */
export const resultBytes = 3_000;
/** Number of turns between two recorded decisions, which every later handoff has to carry. */
export const turnsPerDecision = 50;

/** Returns the text of a turn's decision. */
export function decision(turn: number): string {
  return `Decided in turn ${turn}: service ${turn} listens on port ${4_000 + turn}.`;
}

/** Returns `resultByteLimit` bytes that differ in every turn. */
export function report(turn: number): string {
  return `report ${turn} `.repeat(resultBytes).slice(0, resultBytes);
}

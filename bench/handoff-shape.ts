export const turnsOfWork = 1_000;
export const window = 20_000;
export const resultBytes = 3_000;
/** So often the agent notes a decision, which every later handoff has to carry. */
export const turnsPerDecision = 50;

export function decision(turn: number): string {
  return `Decided in turn ${turn}: service ${turn} listens on port ${4_000 + turn}.`;
}

/** So many bytes, different in every turn. */
export function report(turn: number): string {
  return `report ${turn} `.repeat(resultBytes).slice(0, resultBytes);
}

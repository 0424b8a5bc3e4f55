// Sizes of the measured work, in one place: a benchmark and its model, which is a separate process, must agree on them.

/** `batch`: turns with a tool call that each child takes before it answers. */
export const turnsPerChild = 5;

/** `fan-out`: number of replies with delegations. A reply has at most 64 tool calls, so a hundred need two of them. */
export const waves = 2;
/** `fan-out`: delegations in one reply. */
export const childrenPerWave = 50;

/** `flat-history`: turns of the run with Baton. */
export const turnsOfBaton = 1_000;
/**
 * `flat-history`: turns of the run with messages by value. The server would terminate it after about 140 turns because
 * its history is too large.
 */
export const turnsByValue = 110;

const noiseBytes = 5_000;

/** `flat-history`: returns a tool result of 5,000 bytes that differs in every turn. */
export function noise(seed: number): string {
  return `${seed} `.repeat(noiseBytes).slice(0, noiseBytes);
}

/** `handoff`: turns of the run. */
export const turnsOfWork = 1_000;
/** `handoff`: context window of the model, in tokens. */
export const contextWindow = 20_000;
/** `handoff`: bytes of one tool result. */
export const reportBytes = 3_000;
/** `handoff`: number of turns between two recorded decisions, which every later handoff has to carry. */
export const turnsPerDecision = 50;

/** `handoff`: returns the text of a turn's decision. */
export function decision(turn: number): string {
  return `Decided in turn ${turn}: service ${turn} listens on port ${4_000 + turn}.`;
}

/** `handoff`: returns a tool result of `reportBytes` bytes that differs in every turn. */
export function report(turn: number): string {
  return `report ${turn} `.repeat(reportBytes).slice(0, reportBytes);
}

/** `workspace-size`: files of the workspace, and their bytes. */
export const workspaceFiles = 50_000;
export const workspaceBytes = 1024 ** 3;
/** `workspace-size`: files in one folder of the workspace. */
export const filesPerFolder = 50;

/** `large-run`: delegations in one call of the root. */
export const childrenPerCall = 1_000;
/** `large-run`: calls of the root of the large run. */
export const batchesOfLargeRun = 5;

/** `session.writes`: writers of one shared session, and writes of each. */
export const sessionWriters = 50;
export const writesPerWriter = 2;

/** `replay.1000`: turns of the agent, and number of turns between two notes. */
export const turnsToReplay = 1_000;
export const turnsPerNote = 10;

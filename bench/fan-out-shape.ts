// A reply contains at most 64 tool calls, so a hundred children are started in two waves.
export const waves = 2;
/** Delegations in one reply. */
export const childrenPerWave = 50;

// A reply holds at most 64 tool calls, so a hundred children come in two waves.
export const waves = 2;
export const childrenPerWave = 50;

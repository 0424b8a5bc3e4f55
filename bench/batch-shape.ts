/** Turns with a tool call that each child of a measured batch takes before it answers. */
export const turnsPerChild = 5;

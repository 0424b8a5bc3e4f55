/** Figures of one play, by name. */
export type Figures = Readonly<Record<string, number>>;

/** Figures of each system, one per round. */
export type Results = ReadonlyMap<string, readonly Figures[]>;

/** Size of every tool result. */
export const resultBytes = 5_000;

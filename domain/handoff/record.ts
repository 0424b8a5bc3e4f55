/** A completed handoff: the conversation that was discarded, and the artifact that replaced it. */
export interface HandoffRecord {
  /** Number of the handoff, 1-based. */
  readonly number: number;
  /** Name of the artifact. */
  readonly artifact: string;
  /** Context usage of the discarded conversation, in tokens. */
  readonly discardedTokens: number;
  /** Estimated tokens of the artifact. */
  readonly artifactTokens: number;
  /** Number of model calls before the handoff. */
  readonly afterCall: number;
  /** Time of the handoff, ISO 8601. */
  readonly at: string;
}

/** One passing of the baton: a conversation that was ended, and the artifact that is left of it. */
export interface HandoffRecord {
  /** From 1. */
  readonly number: number;
  /** Name of the artifact. */
  readonly artifact: string;
  /** Tokens of the window that the discarded conversation filled. */
  readonly discardedTokens: number;
  /** Tokens of the artifact, estimated. */
  readonly artifactTokens: number;
  /** After which model call. */
  readonly afterCall: number;
  readonly at: string;
}

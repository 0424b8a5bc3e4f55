/** A statement about Baton that the demo checks. */
export interface Claim {
  readonly text: string;
  readonly holds: boolean;
}

/** Creates a claim. */
export function claim(text: string, holds: boolean): Claim {
  return { text, holds };
}

/** Something the demo says about Baton, and whether it was so this time. */
export interface Claim {
  readonly text: string;
  readonly holds: boolean;
}

export function claim(text: string, holds: boolean): Claim {
  return { text, holds };
}

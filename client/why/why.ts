/** The answer to "why": where a failure or a wait comes from, and what to do about it. */
export interface Why {
  readonly verdict: 'failed' | 'waiting' | 'running' | 'completed' | 'cancelled';
  /** Workflow ids from the agent that was asked about down to where it comes from. */
  readonly path: readonly string[];
  /** Failure type; null when nothing has failed. */
  readonly type: string | null;
  readonly message: string;
  readonly remedy: string | null;
  /** Commands that help, ready to be copied. */
  readonly commands: readonly string[];
  /** What else is worth knowing. */
  readonly remarks: readonly string[];
}

export function whyFrom(why: Pick<Why, 'verdict' | 'path' | 'message'> & Partial<Why>): Why {
  return { type: null, remedy: null, commands: [], remarks: [], ...why };
}

/** Workflow ids on the way from one agent to another below it: the ids alone tell. */
export function pathBetween(from: string, to: string): readonly string[] {
  const rest = to.slice(from.length).split('/').slice(1);
  return [from, ...rest.map((_, index) => [from, ...rest.slice(0, index + 1)].join('/'))];
}

/** The origin of a failure or a wait, and what to do about it. */
export interface Diagnosis {
  /** State of the agent that was asked about. */
  readonly verdict: 'failed' | 'waiting' | 'running' | 'completed' | 'cancelled';
  /** Workflow ids from the agent that was asked about down to the agent in which the failure or the wait began. */
  readonly path: readonly string[];
  /** Failure type; null when nothing has failed. */
  readonly type: string | null;
  readonly message: string;
  readonly remedy: string | null;
  /** Commands that help, ready to copy. */
  readonly commands: readonly string[];
  /** Other facts, one sentence each. */
  readonly remarks: readonly string[];
}

/** Creates a diagnosis with defaults for omitted fields. */
export function diagnosis(why: Pick<Diagnosis, 'verdict' | 'path' | 'message'> & Partial<Diagnosis>): Diagnosis {
  return { type: null, remedy: null, commands: [], remarks: [], ...why };
}

/** Returns the workflow ids from one agent to another below it, which follow from the ids alone. */
export function pathBetween(from: string, to: string): readonly string[] {
  const rest = to.slice(from.length).split('/').slice(1);
  return [from, ...rest.map((_, index) => [from, ...rest.slice(0, index + 1)].join('/'))];
}

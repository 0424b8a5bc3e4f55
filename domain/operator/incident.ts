/** Something that waits for an operator. An agent may have several: one of its own, or one per delegation that is gone. */
export interface Incident {
  /** Names it in a decision: `i1`, `i2`, … in the order in which the agent met them. */
  readonly id: string;
  readonly kind: 'failure' | 'toolRequest';
  /** Failure type; `Tool.Requested` for a request. */
  readonly type: string;
  readonly message: string;
  /** ISO 8601. */
  readonly since: string;
  /** Which attempt at the step failed, from 1. */
  readonly attempt: number;
  /** What was being done, in a few words: `turn 4`, `delegation abc…`. */
  readonly step: string;
  /** The delegation it is about, when it is not about the agent's own step. */
  readonly delegation: string | null;
  /** The tool that is asked for. */
  readonly tool: string | null;
}

/** A decision as it was taken; kept with the agent. */
export interface DecisionRecord {
  readonly incident: string;
  readonly action: string;
  readonly by: string;
  readonly note: string;
  readonly at: string;
}

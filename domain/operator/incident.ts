/**
 * A failure or a tool request that needs an operator's decision. An agent may have several: one for its own step, or
 * one per delegation that closed without reporting its failure.
 */
export interface Incident {
  /** Incident id, unique within the agent: `i1`, `i2`, … in the order of occurrence. */
  readonly id: string;
  readonly kind: 'failure' | 'toolRequest';
  /** Failure type; `Tool.Requested` for a tool request. */
  readonly type: string;
  readonly message: string;
  /** Time at which the incident was opened, ISO 8601. */
  readonly since: string;
  /** Number of the attempt that failed, 1-based. */
  readonly attempt: number;
  /** Name of the step, such as `turn 4` or `delegation abc…`. */
  readonly step: string;
  /** Id of the delegation that failed; null when the agent's own step did. */
  readonly delegation: string | null;
  /** Name of the requested tool; null for a failure. */
  readonly tool: string | null;
}

/** An operator's decision, as the agent records it. */
export interface DecisionRecord {
  readonly incident: string;
  readonly action: string;
  readonly by: string;
  readonly note: string;
  readonly at: string;
}

import type { OperatorDecision } from '../../domain/operator';

/** How an incident differs from one about a failure. */
export interface IncidentOptions {
  /** How long to wait for a decision, in milliseconds. Default, and upper limit: the hold time of the run. */
  readonly timeoutMs?: number;
  /** Checks a decision before it is accepted. Throws a failure if it has to be refused. */
  readonly accept?: (decision: OperatorDecision) => Promise<void> | undefined;
}

/** Result of an incident. */
export interface Answer {
  /** Undefined when no operator decided in time. */
  readonly decision: OperatorDecision | undefined;
}

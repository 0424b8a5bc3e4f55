import type { OpenedAgent } from '../run/progress';

/** A delegation whose prompt stands in the store, ready to be started. */
export interface ReadyDelegation {
  readonly ok: true;
  readonly delegationId: string;
  readonly opened: OpenedAgent;
  readonly promptNs: string;
  readonly promptKey: string;
  readonly planStepId: string | null;
  readonly expectedArtifacts: readonly string[];
  /** The beginning of its instructions, for lists. */
  readonly headline: string;
}

/** A delegation that was not made: what the model is told about it. */
export interface RefusedDelegation {
  readonly ok: false;
  readonly delegationId: string;
  readonly type: string;
  readonly message: string;
}

export type PreparedDelegation = ReadyDelegation | RefusedDelegation;

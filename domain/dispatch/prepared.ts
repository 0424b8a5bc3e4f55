import type { AgentSettings } from '../agent/settings';
import type { OpenedAgent } from '../run/progress';

/** Where a delegation's settings differ from those of the agent that makes it. */
export type ChildSettings = Partial<Pick<AgentSettings, 'model' | 'limits' | 'handoff' | 'onFailure'>> & {
  /** The most that it may reserve of the delegating agent's budget. */
  readonly budgetTokens?: number;
  readonly deadlineSeconds?: number;
};

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
  readonly settings?: ChildSettings;
}

/** A delegation that was not made: what the model is told about it. */
export interface RefusedDelegation {
  readonly ok: false;
  readonly delegationId: string;
  readonly type: string;
  readonly message: string;
}

export type PreparedDelegation = ReadyDelegation | RefusedDelegation;

import type { AgentSettings } from '../agent/agent-settings';
import type { OpenedAgent } from '../agent/progress';

/** Settings in which a delegation differs from its parent. */
export type SettingsOverrides = Partial<Pick<AgentSettings, 'model' | 'limits' | 'handoff' | 'onFailure'>> & {
  /** Maximum tokens that the delegation may reserve from the parent's budget. */
  readonly budgetTokens?: number;
  /** Time that the delegation may take, in seconds. */
  readonly deadlineSeconds?: number;
};

/** A delegation that is ready to start: its prompt is stored. */
export interface ReadyDelegation {
  readonly ok: true;
  readonly delegationId: string;
  readonly opened: OpenedAgent;
  readonly promptNs: string;
  readonly promptKey: string;
  readonly planStepId: string | null;
  readonly expectedArtifacts: readonly string[];
  /** First line of the instructions, truncated. Shown in lists. */
  readonly headline: string;
  readonly settings?: SettingsOverrides;
}

/** A delegation that was refused. `message` is the tool result that the model sees. */
export interface RefusedDelegation {
  readonly ok: false;
  readonly delegationId: string;
  readonly type: string;
  readonly message: string;
}

/** Result of preparing a delegation. */
export type PreparedDelegation = ReadyDelegation | RefusedDelegation;

import { z } from 'zod';
import type { AgentSettings, OpenedAgent } from '../agent';
import { spendingSchema } from '../budget';
import { DomainError, type FailureType } from '../kernel';
import { fileRecordSchema, type SnapshotPayload } from '../session';
import { blobRefSchema, spilledTextSchema } from '../store';
import type { WorkspaceState } from '../workspace';

/** Input of a `delegationWorkflow`. */
export interface DelegationStart extends AgentSettings {
  readonly delegationId: string;
  /** Number of levels below the root agent. The root agent's delegations have 1. */
  readonly depth: number;
  readonly opened: OpenedAgent;
  readonly snapshot: SnapshotPayload;
  readonly workspace: WorkspaceState | null;
  /** Workflow id of the host of a shared session; null when the session is isolated. */
  readonly sharedSession: string | null;
  readonly promptNs: string;
  readonly promptKey: string;
  /** Names of artifacts that the parent expects. */
  readonly expectedArtifacts: readonly string[];
  /** Set when the parent was paused when it started this delegation. */
  readonly paused?: true;
  /** Whether the result includes the changed files, because the parent merges them. */
  readonly returnsFiles?: boolean;
}

/** An artifact that a delegation wrote. */
export const namedArtifactSchema = z.object({ name: z.string(), ref: blobRefSchema });
export type NamedArtifact = Readonly<z.infer<typeof namedArtifactSchema>>;

/** Result of a delegation. Nothing else of it reaches the parent. */
export const delegationResultSchema = z.object({
  summary: spilledTextSchema,
  artifacts: z.array(namedArtifactSchema).readonly(),
  /** Number of artifacts that were written but did not fit into the result. */
  moreArtifacts: z.int().positive().exactOptional(),
  /** Paths of files that the delegation changed in its own copy of the workspace, up to a limit. */
  changedFiles: z.array(z.string()).readonly(),
  /** All changed files with the hashes of their contents; only if `returnsFiles` was set. */
  files: z.array(fileRecordSchema).readonly().exactOptional(),
  toolsUsed: z.array(z.string()).readonly(),
  /** Expected artifacts that were not written. */
  missingArtifacts: z.array(z.string()).readonly(),
  /** Spending of the delegation, including its own delegations. */
  spent: spendingSchema,
  /** Set when an operator skipped the delegation and supplied the summary. */
  skipped: z.literal(true).exactOptional(),
});
export type DelegationResult = Readonly<z.infer<typeof delegationResultSchema>>;

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

/** A dispatch call that can't be carried out. The model sees the field, the reason and the remedy. */
export class DispatchRefusedError extends DomainError {
  readonly type: FailureType;

  constructor(
    readonly field: string,
    readonly reason: string,
    readonly remedy: string,
    type: FailureType = 'Tool.ValidationError',
  ) {
    super(`${field}: ${reason}. ${remedy}`, { field, reason, remedy });
    this.type = type;
  }
}

import type { AgentSettings } from '../domain/agent/settings';
import type { DelegationResult, SnapshotTransfer } from '../domain/dispatch/delegation';
import type { PreparedDelegation } from '../domain/dispatch/prepared';
import type { ModelReply } from '../domain/model/reply';
import type { RunInput } from '../domain/run/input';
import type { OpenedAgent, WorkspaceState } from '../domain/run/progress';
import type { SessionSnapshot } from '../domain/session';
import type { BlobRef } from '../domain/store/blob-ref';
import type { ToolCall, ToolExecution, ToolOutcome } from '../domain/tool/call';

/** In which run's part of which store an activity works. */
export interface StoreLocation {
  readonly runId: string;
  readonly storeId: string;
}

/**
 * Names one model call for good: an answer, once paid for, is found again under it after a crash, a retry or a reset.
 * `execution` is the first run id of the workflow's chain, which all of those keep.
 */
export interface CallIdentity {
  readonly execution: string;
  readonly call: number;
  /** Raised to ask again on purpose. */
  readonly try: number;
}

export interface CallModelInput extends StoreLocation {
  readonly head: BlobRef;
  readonly outcomes: readonly ToolOutcome[];
  readonly notes: readonly string[];
  readonly identity: CallIdentity;
}

export interface ExecuteToolInput extends StoreLocation {
  readonly call: ToolCall;
  readonly workspace: Omit<WorkspaceState, 'base'> | null;
  /** The slices of the session that the tool reads. */
  readonly slices?: SessionSnapshot['slices'];
  /** Workflow id of the agent that asked. */
  readonly agent: string;
}

export interface PrepareDelegationInput extends StoreLocation {
  readonly call: ToolCall;
  readonly parent: {
    readonly agentId: string;
    readonly delegationId: string | null;
    readonly depth: number;
    readonly opened: OpenedAgent;
  };
  readonly settings: Omit<AgentSettings, 'runId'>;
  readonly ordinal: number;
  readonly snapshot: SnapshotTransfer;
  /** What the child's prompt says about the session. */
  readonly snapshotSummary: string;
  readonly snapshotVersion: string;
  /** When the delegation was asked for, from recorded data. */
  readonly at: string;
}

export interface AwaitDelegationInput {
  readonly workflowId: string;
  readonly parent: string;
  /** Hash of the opening entry that this delegation must have begun with. */
  readonly opening: string;
}

/** Everything with side effects that workflows ask for. */
export interface AgentActivities {
  /** Checks the input, renders the root prompt, pins tools and prompts, and begins the transcript. */
  openRun(input: RunInput): Promise<OpenedAgent>;
  /** Imports a folder as a tree of hashes. */
  mountWorkspace(input: StoreLocation & { readonly folder: string }): Promise<BlobRef>;
  /** Makes a new tree of an old one and what was changed. */
  foldWorkspace(input: StoreLocation & Omit<WorkspaceState, 'base'>): Promise<BlobRef>;
  /** Asks the model for its next reply and appends it, with what it was told, to the transcript. */
  callModel(input: CallModelInput): Promise<ModelReply>;
  /** Runs one tool. Fails only when the infrastructure does: a tool's own failure is an outcome. */
  executeTool(input: ExecuteToolInput): Promise<ToolExecution>;
  /** These two carry up to a whole session: the only payloads that may be larger than all others. */
  saveSnapshot(input: StoreLocation & { readonly snapshot: SessionSnapshot }): Promise<BlobRef>;
  loadSnapshot(input: StoreLocation & { readonly ref: BlobRef }): Promise<SessionSnapshot>;
  /** Checks a call of `dispatch_subagent` and composes the child's prompt; starts nothing. */
  prepareDelegation(input: PrepareDelegationInput): Promise<PreparedDelegation>;
  /** Waits for a delegation that is there already, and passes a cancellation on to it. */
  awaitDelegation(input: AwaitDelegationInput): Promise<DelegationResult>;
}

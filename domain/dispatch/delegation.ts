import type { AgentSettings } from '../agent/settings';
import type { Spending } from '../budget/allowance';
import type { OpenedAgent, WorkspaceState } from '../run/progress';
import type { FileRecord, SessionSnapshot } from '../session';
import type { BlobRef } from '../store/blob-ref';
import type { SpilledText } from '../store/spilled';

/** A snapshot on its way: small ones inline, others saved once per version of the session. */
export type SnapshotTransfer = { readonly inline: SessionSnapshot } | { readonly ref: BlobRef };

/** Up to this many bytes of JSON a snapshot travels inline. */
export const inlineSnapshotBytes = 8 * 1024;

/** What a `delegationWorkflow` is started with. */
export interface DelegationStart extends AgentSettings {
  readonly delegationId: string;
  /** Levels below the root; the root's own children have 1. */
  readonly depth: number;
  readonly opened: OpenedAgent;
  readonly snapshot: SnapshotTransfer;
  readonly workspace: WorkspaceState | null;
  /** Workflow id of the host when the session is shared; null when the child has a copy of its own. */
  readonly sharedSession: string | null;
  readonly promptNs: string;
  readonly promptKey: string;
  /** Names of artifacts that the delegating agent counts on. */
  readonly expectedArtifacts: readonly string[];
  /** Whether the delegating agent was paused when it started this one. */
  readonly paused?: true;
  /** Whether its changed files are part of its result, because they are to be taken over. */
  readonly returnsFiles?: boolean;
}

export interface LeftArtifact {
  readonly name: string;
  readonly ref: BlobRef;
}

/** All that is left of a delegation. */
export interface DelegationResult {
  readonly summary: SpilledText;
  readonly artifacts: readonly LeftArtifact[];
  /** How many more it wrote than could be handed over. */
  readonly moreArtifacts?: number;
  /** Files that it changed, in its own copy of the workspace. */
  readonly changedFiles: readonly string[];
  /** The same with their contents, all of them; only where that was asked for. */
  readonly files?: readonly FileRecord[];
  readonly toolsUsed: readonly string[];
  readonly missingArtifacts: readonly string[];
  /** Its own and its delegations' together. */
  readonly spent: Spending;
  /** Whether an operator gave the summary in its place. */
  readonly skipped?: true;
}

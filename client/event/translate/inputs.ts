import type { AgentProgress } from '../../../domain/agent';
import type { HostState, SnapshotPayload } from '../../../domain/session';
import type { ToolCall, ToolOutcome } from '../../../domain/tool';

/**
 * The part of `callModel`'s arguments that is read from history. Clients know activities only by what they recorded.
 */
export interface CallModelArguments {
  readonly outcomes: readonly ToolOutcome[];
  readonly identity: { readonly call: number };
}

/** Arguments of `executeTool`, `prepareDelegation` and `prepareBatch`. */
export interface CallArguments {
  readonly call: ToolCall;
}

/** Arguments of `awaitDelegation` and `awaitSession`. */
export interface AwaitArguments {
  readonly workflowId: string;
}

/** Input of `runWorkflow` and `delegationWorkflow`; a run has neither field. */
export interface AgentStart {
  readonly delegationId?: string;
  readonly sharedSession?: string | null;
}

/** Input of `sessionWorkflow`. */
export interface HostStart {
  readonly session: SnapshotPayload;
  readonly resume?: HostState;
}

/** State that an agent continues with in a new execution. A host of a session continues with different state. */
export interface Resumed {
  readonly progress?: AgentProgress;
}

/** Arguments of `changeTools`. */
export interface ChangeToolsArguments {
  readonly grant: readonly string[];
  readonly revoke: readonly string[];
}

/** Arguments of `takeHandoff`. */
export interface TakeHandoffArguments {
  readonly number: number;
}

/** Result of `takeHandoff` and `checkAnswer`. */
export type Checked<Accepted> = ({ readonly ok: true } & Accepted) | { readonly ok: false; readonly violation: string };

import type { SnapshotTransfer } from '../../../domain/dispatch/delegation';
import type { AgentProgress } from '../../../domain/run/progress';
import type { HostState } from '../../../domain/shared-session/host';
import type { ToolCall, ToolOutcome } from '../../../domain/tool/call';

/** What is read of the arguments in histories; clients don't know activities, only what these leave on record. */
export interface CallModelArguments {
  readonly outcomes: readonly ToolOutcome[];
  readonly identity: { readonly call: number };
}

/** Of `executeTool`, `prepareDelegation` and `prepareBatch`. */
export interface CallArguments {
  readonly call: ToolCall;
}

export interface AwaitArguments {
  readonly workflowId: string;
}

/** Of `runWorkflow` and `delegationWorkflow`; a run has none of these. */
export interface AgentStart {
  readonly delegationId?: string;
  readonly sharedSession?: string | null;
}

export interface HostStart {
  readonly session: SnapshotTransfer;
  readonly resume?: HostState;
}

/** With which an agent goes on in a new execution; the host of a session goes on with something else. */
export interface Resumed {
  readonly progress?: AgentProgress;
}

export interface ChangeToolsArguments {
  readonly grant: readonly string[];
  readonly revoke: readonly string[];
}

export interface TakeHandoffArguments {
  readonly number: number;
}

/** Of `takeHandoff` and `checkAnswer`. */
export type Checked<Taken> = ({ readonly ok: true } & Taken) | { readonly ok: false; readonly violation: string };

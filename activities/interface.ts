import type { ModelReply } from '../domain/model/reply';
import type { OpenedAgent } from '../domain/run/progress';
import type { RunInput } from '../domain/run/input';
import type { BlobRef } from '../domain/store/blob-ref';
import type { ToolCall, ToolOutcome } from '../domain/tool/call';

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
  readonly workspace?: { readonly root: string };
}

/** Everything with side effects that workflows ask for. */
export interface AgentActivities {
  /** Checks the input, composes the root prompt, pins the tools and begins the transcript. */
  openRun(input: RunInput): Promise<OpenedAgent>;
  /** Asks the model for its next reply and appends it, with what it was told, to the transcript. */
  callModel(input: CallModelInput): Promise<ModelReply>;
  /** Runs one tool. Fails only when the infrastructure does: a tool's own failure is an outcome. */
  executeTool(input: ExecuteToolInput): Promise<ToolOutcome>;
}

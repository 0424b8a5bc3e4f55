import type { ModelReply } from '../model/reply';
import { addUsage, noUsage, totalTokens, type Usage } from '../model/usage';
import type { BlobRef } from '../store/blob-ref';
import type { ToolOutcome } from '../tool/call';
import type { PinnedTools } from '../tool/pinned';
import type { Session } from '../session';
import type { FileState } from '../workspace/change';

/** What is fixed when an agent is opened: later edits of prompts or tools don't reach agents in flight. */
export interface OpenedAgent {
  /** Store that holds the run's data; every activity checks it. */
  readonly storeId: string;
  readonly prompt: BlobRef;
  readonly tools: PinnedTools;
  /** The tools in full, as they are sent to the model. */
  readonly toolList: BlobRef;
  /** Definitions of the prompts that can be dispatched. */
  readonly prompts: BlobRef;
  /** Whether the prompt asks for a structured answer. */
  readonly structured: boolean;
  /** Head of the transcript that holds only the opening entry. */
  readonly opening: BlobRef;
  /** Whether the namespace has Baton's search attributes: writing an unknown one would fail the workflow task. */
  readonly searchAttributes: boolean;
  /** Definitions of the skills that can be dispatched, as they were when the run started. */
  readonly skills?: BlobRef;
  /** For an agent of a skill: its name, the strict form of its final message, and what was injected into its prompt. */
  readonly skill?: string;
  readonly output?: BlobRef;
  readonly injectedTokens?: number;
}

/** The files an agent sees: a tree as it was mounted, and what was changed since. */
export interface WorkspaceState {
  readonly base: BlobRef;
  /** The tree with all changes but the last few. */
  readonly root: BlobRef;
  readonly changes: readonly FileState[];
}

/** Everything an agent must remember across continue-as-new. Plain JSON. */
export interface AgentProgress {
  readonly opened: OpenedAgent;
  readonly head: BlobRef;
  /** Model calls so far; with the execution, the identity of the next one. */
  readonly calls: number;
  readonly usage: Usage;
  /** What its delegations have spent. */
  readonly delegatedUsage: Usage;
  /** Delegations attempted so far: the ordinal of the next one. */
  readonly delegations: number;
  readonly session: Session;
  readonly workspace: WorkspaceState | null;
  /** Tokens of the window that the conversation filled at its last call. */
  readonly occupancy: number;
  /** What the next call tells the model: outcomes of the tools it asked for, and words of the engine. */
  readonly outcomes: readonly ToolOutcome[];
  readonly notes: readonly string[];
}

export function firstProgress(opened: OpenedAgent, session: Session, workspace: WorkspaceState | null): AgentProgress {
  return {
    opened,
    session,
    workspace,
    delegations: 0,
    delegatedUsage: noUsage,
    head: opened.opening,
    calls: 0,
    usage: noUsage,
    occupancy: 0,
    outcomes: [],
    notes: [],
  };
}

export function afterReply(progress: AgentProgress, reply: ModelReply): AgentProgress {
  return {
    ...progress,
    head: reply.head,
    calls: progress.calls + 1,
    usage: addUsage(progress.usage, reply.usage),
    occupancy: totalTokens(reply.usage),
    outcomes: [],
    notes: [],
  };
}

const continueWhereCut = 'Your reply was cut off at the output limit. Continue exactly where it stopped.';
const callWasCut = 'Not run: the call was cut off at the output limit. Ask again, with less in one call.';

/** After a reply that stopped short: text goes on where it was cut, and tool calls cut in the middle are never run. */
export function afterInterruption(progress: AgentProgress, reply: ModelReply): AgentProgress {
  if (reply.stopReason === 'pause_turn') return progress;
  if (reply.toolCalls.length > 0) {
    const outcomes = reply.toolCalls.map(({ id }) => ({ callId: id, isError: true, content: { text: callWasCut } }));
    return { ...progress, outcomes };
  }
  return { ...progress, notes: [continueWhereCut] };
}

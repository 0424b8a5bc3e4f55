import type { ModelReply } from '../model/reply';
import type { Allowance } from '../budget/allowance';
import { charge, openLedger, type Ledger } from '../budget/ledger';
import { costOf, type Price } from '../budget/prices';
import type { HandoffRecord } from '../handoff/record';
import type { ModelSettings } from '../model/settings';
import { totalTokens } from '../model/usage';
import type { DecisionRecord } from '../operator/incident';
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

/** What an operator changed about an agent since it was opened; told to the store with the next call. */
export interface AgentChanges {
  readonly model?: ModelSettings;
  readonly maxTurns?: number;
  /** The tools in full, when they are others than the agent was opened with. */
  readonly toolList?: BlobRef;
}

/** What an agent's operators have said, as far as it matters later. */
export interface DeskState {
  readonly paused: boolean;
  /** Words that the model has not been told yet. */
  readonly steering: readonly string[];
  /** Incidents so far: the number of the next one. */
  readonly incidents: number;
  readonly decisions: readonly DecisionRecord[];
}

export const emptyDesk: DeskState = { paused: false, steering: [], incidents: 0, decisions: [] };

/** Everything an agent must remember across continue-as-new. Plain JSON. */
export interface AgentProgress {
  readonly opened: OpenedAgent;
  readonly head: BlobRef;
  /** Model calls so far; with the execution, the identity of the next one. */
  readonly calls: number;
  /** What it and its delegations have spent, and what is reserved for those under way. */
  readonly ledger: Ledger;
  /** Delegations attempted so far: the ordinal of the next one. */
  readonly delegations: number;
  readonly session: Session;
  readonly workspace: WorkspaceState | null;
  /** Files that others changed since it last read them. */
  readonly unseen: readonly string[];
  /** Tokens of the window that the conversation filled at its last call; 0 before the first. */
  readonly occupancy: number;
  /** Estimated tokens of what it read with tools. */
  readonly activeTokens: number;
  /** What the next call tells the model: outcomes of the tools it asked for, and words of the engine. */
  readonly outcomes: readonly ToolOutcome[];
  readonly notes: readonly string[];
  /** Raised when an operator wants a step tried again: an answer that was paid for must not come back. */
  readonly tries: number;
  readonly handoffs: readonly HandoffRecord[];
  readonly changes: AgentChanges;
  /** Whether the transcript has the changes already. */
  readonly changesTold: boolean;
  /** Whether the model has been asked to correct the form of its answer. */
  readonly repairing: boolean;
}

export function firstProgress(
  opened: OpenedAgent,
  session: Session,
  workspace: WorkspaceState | null,
  budget: Allowance = {},
): AgentProgress {
  return {
    opened,
    session,
    workspace,
    unseen: [],
    delegations: 0,
    ledger: openLedger(budget),
    head: opened.opening,
    calls: 0,
    occupancy: 0,
    activeTokens: 0,
    outcomes: [],
    notes: [],
    tries: 0,
    handoffs: [],
    changes: {},
    changesTold: true,
    repairing: false,
  };
}

export function afterReply(progress: AgentProgress, reply: ModelReply, price: Price | undefined): AgentProgress {
  const microUsd = price === undefined ? 0 : costOf(price, reply.usage);
  return {
    ...progress,
    head: reply.head,
    calls: progress.calls + 1,
    ledger: charge(progress.ledger, { usage: reply.usage, microUsd, turns: 1 }),
    occupancy: totalTokens(reply.lastUsage ?? reply.usage),
    activeTokens: progress.activeTokens + outcomeTokens(progress.outcomes),
    outcomes: [],
    notes: [],
    changesTold: true,
  };
}

/** Estimated, on the high side. */
export function outcomeTokens(outcomes: readonly ToolOutcome[]): number {
  return outcomes.reduce((sum, { content, addendum = '' }) => {
    const bytes = 'ref' in content ? content.ref.bytes : 2 * content.text.length;
    return sum + Math.ceil((bytes + 2 * addendum.length) / 3);
  }, 0);
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

import type { TurnVerdict } from '../domain/agent/apply-turn';
import type { AgentSettings } from '../domain/agent/settings';
import type { Allowance } from '../domain/budget/allowance';
import type { Price } from '../domain/budget/prices';
import type { PreparedBatch, SubagentResult } from '../domain/dispatch/batch';
import type { DelegationResult, SnapshotTransfer } from '../domain/dispatch/delegation';
import type { PreparedDelegation } from '../domain/dispatch/prepared';
import type { JsonObject } from '../domain/json-value';
import type { ModelReply, NotAsked } from '../domain/model/reply';
import type { PickedValues, RelayInput } from '../domain/relay';
import type { RunInput } from '../domain/run/input';
import type { AgentChanges, OpenedAgent, WorkspaceState } from '../domain/run/progress';
import type { SessionSnapshot } from '../domain/session';
import type { ApplyRequest, SessionUpdate } from '../domain/shared-session/protocol';
import type { BlobRef } from '../domain/store/blob-ref';
import type { SpilledText } from '../domain/store/spilled';
import type { ToolCall, ToolExecution, ToolOutcome } from '../domain/tool/call';
import type { PinnedTools } from '../domain/tool/pinned';

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
  /** Words of operators. */
  readonly steering?: readonly string[];
  /** What an operator changed about the agent since the last call. */
  readonly changes?: AgentChanges;
  readonly admission?: Admission;
  /** The agent's last words before it hands over: without tools. */
  readonly closing?: true;
}

/** What a call must not pass. Given only when by an estimate it might: then tokens are counted before the model is asked. */
export interface Admission {
  /** Tokens of the request by that estimate, for when the provider can't count. */
  readonly estimate: number;
  /** Tokens that the request may fill. */
  readonly window?: number;
  /** What is left to spend. */
  readonly budget?: Allowance;
  readonly price?: Price;
}

export interface ChangeToolsInput extends StoreLocation {
  /** The agent's tools as they are. */
  readonly toolList: BlobRef;
  readonly grant: readonly string[];
  readonly revoke: readonly string[];
}

export interface ChangedTools {
  readonly toolList: BlobRef;
  readonly tools: PinnedTools;
  /** Names that the root of the run did not have either: nobody below it gets them. */
  readonly refused: readonly string[];
  /** The granted tools, as a prompt would describe them. */
  readonly entry: string;
}

export interface CheckAnswerInput extends StoreLocation {
  /** The skill's `OutputFormat`, as JSON. */
  readonly format: BlobRef;
  readonly text: SpilledText;
}

/** The answer in its canonical form, or what is wrong with it in words for the model. */
export type CheckedAnswer =
  { readonly ok: true; readonly text: SpilledText } | { readonly ok: false; readonly violation: string };

export interface ExecuteToolInput extends StoreLocation {
  readonly call: ToolCall;
  readonly workspace: Omit<WorkspaceState, 'base'> | null;
  /** The slices of the session that the tool reads; the whole session by ref when they are too large. */
  readonly session?: { readonly slices: SessionSnapshot['slices'] } | { readonly ref: BlobRef };
  /** Workflow id of the agent that asked. */
  readonly agent: string;
  /** What the result may take of the window; never more than `maxToolResultBytes`, which is meant when it is left out. */
  readonly maxResultBytes?: number;
  /** Files that others changed since the agent last read them. */
  readonly unseen?: readonly string[];
}

export interface TakeHandoffInput extends StoreLocation {
  /** The last message of the agent that hands over. */
  readonly text: SpilledText;
  readonly opened: Pick<OpenedAgent, 'opening'>;
  /** The slices `notes`, `artifacts` and `files`, or the whole session by ref. */
  readonly session: NonNullable<ExecuteToolInput['session']>;
  /** Which handoff of the agent it is, from 1. */
  readonly number: number;
  /** Where the artifact is to stand, when others hand over in the same session. */
  readonly folder?: string;
}

export type TakenHandoff =
  | {
      readonly ok: true;
      /** Of a conversation that has only its opening: what the fresh agent starts from. */
      readonly head: BlobRef;
      readonly artifact: { readonly name: string; readonly ref: BlobRef };
      /** Estimated. */
      readonly artifactTokens: number;
    }
  | { readonly ok: false; readonly violation: string };

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
  /** From which skills get what they need to know; left out when the run has no skills. */
  readonly workspace?: Omit<WorkspaceState, 'base'> | null;
}

/** A skill that no agent asks for: its prompt is the composite alone. */
export interface PrepareSkillInput extends StoreLocation {
  /** Name of the skill. */
  readonly skill: string;
  /** What the skill's own schema asks for. */
  readonly input: JsonObject;
  /** Fields of the input that are texts, and may be too long to be carried through history. */
  readonly texts?: Readonly<Record<string, SpilledText>>;
  /** Instead of the skill's own wording of its task. */
  readonly task?: string;
  readonly expectedArtifacts?: readonly string[];
  /** What was pinned when the run started. */
  readonly skills: BlobRef;
  readonly prompts: BlobRef;
  readonly tools: BlobRef;
  /** From which the skill gets what it needs to know: files, and the artifacts of the session. */
  readonly workspace: Omit<WorkspaceState, 'base'> | null;
  readonly snapshot: SnapshotTransfer;
  readonly settings: Omit<AgentSettings, 'runId'>;
  /** Level of whoever asks; 0 for the root. */
  readonly depth: number;
  /** Counts everything that is asked for there, from 0: part of the delegation's id. */
  readonly ordinal: number;
  readonly searchAttributes: boolean;
}

export interface PickOutputInput extends StoreLocation {
  /** The final message of a step. */
  readonly text: SpilledText;
  /** The strict form that it has; null for free text. */
  readonly format: BlobRef | null;
  /** What is wanted of it. */
  readonly paths: readonly string[];
}

export interface PrepareBatchInput extends StoreLocation {
  readonly call: ToolCall;
  readonly parent: PrepareDelegationInput['parent'];
  readonly settings: Omit<AgentSettings, 'runId'>;
  /** Ordinal of the batch's first delegation. */
  readonly firstOrdinal: number;
  /** Which of its delegations to prepare now. */
  readonly from: number;
  readonly count: number;
}

export interface RenderResultsInput extends StoreLocation {
  /** What was rendered before. */
  readonly previous: BlobRef | null;
  readonly from: number;
  readonly total: number;
  readonly results: readonly SubagentResult[];
  /** Whether the delegating agent asked for structured answers. */
  readonly structured: boolean;
}

export interface RenderedResults {
  readonly ref: BlobRef;
  /** Texts that were too long to be shown. */
  readonly artifacts: readonly { readonly name: string; readonly ref: BlobRef }[];
}

export interface ApplySessionInput extends StoreLocation {
  /** Workflow id of the session's host. */
  readonly host: string;
  readonly request: Omit<ApplyRequest, 'digest' | 'resent'>;
}

export type ApplySessionResult = { readonly verdicts: readonly TurnVerdict[] } & (
  { readonly update: SessionUpdate } | { readonly updateRef: BlobRef }
);

export interface AwaitChildInput {
  readonly workflowId: string;
  readonly parent: string;
  /** What the child's memo must say of itself: it commits to what the child was started with. */
  readonly identity: string;
}

/** The host of a shared session that was there before: `lost` without a state that could be taken over. */
export type FoundSession =
  { readonly is: 'open' } | { readonly is: 'closed'; readonly final: SnapshotTransfer } | { readonly is: 'lost' };

/** Everything with side effects that workflows ask for. */
export interface AgentActivities {
  /** Checks the input, renders the root prompt, pins tools and prompts, and begins the transcript. */
  openRun(input: RunInput): Promise<OpenedAgent>;
  /** The same for a relay, whose steps are checked against the skills. */
  openRelay(input: RelayInput): Promise<OpenedAgent>;
  /** Takes from a step's final message what the relay uses of it. */
  pickOutput(input: PickOutputInput): Promise<PickedValues>;
  /** Imports a folder as a tree of hashes. */
  mountWorkspace(input: StoreLocation & { readonly folder: string }): Promise<BlobRef>;
  /** Makes a new tree of an old one and what was changed. */
  foldWorkspace(input: StoreLocation & Omit<WorkspaceState, 'base'>): Promise<BlobRef>;
  /** Asks the model for its next reply and appends it, with what it was told, to the transcript. */
  callModel(input: CallModelInput): Promise<ModelReply | NotAsked>;
  /** Gives an agent tools or takes some away, never more than the root of its run had. */
  changeTools(input: ChangeToolsInput): Promise<ChangedTools>;
  /** Checks a final message against the strict form that its skill asks for. */
  checkAnswer(input: CheckAnswerInput): Promise<CheckedAnswer>;
  /** Runs one tool. Fails only when the infrastructure does: a tool's own failure is an outcome. */
  executeTool(input: ExecuteToolInput): Promise<ToolExecution>;
  /** Checks the handoff that an agent wrote, stores it, and begins the conversation of the agent that goes on from it. */
  takeHandoff(input: TakeHandoffInput): Promise<TakenHandoff>;
  /** These two carry up to a whole session: the only payloads that may be larger than all others. */
  saveSnapshot(input: StoreLocation & { readonly snapshot: SessionSnapshot }): Promise<BlobRef>;
  loadSnapshot(input: StoreLocation & { readonly ref: BlobRef }): Promise<SessionSnapshot>;
  /** Checks a call of `dispatch_subagent` or `dispatch_skill` and composes the child's prompt; starts nothing. */
  prepareDelegation(input: PrepareDelegationInput): Promise<PreparedDelegation>;
  /** Checks the input of a skill and composes its prompt, below no agent; starts nothing. */
  prepareSkill(input: PrepareSkillInput): Promise<PreparedDelegation>;
  /** Checks a call of `dispatch_subagents` and wraps the prompts of some of its delegations; starts nothing. */
  prepareBatch(input: PrepareBatchInput): Promise<PreparedBatch>;
  renderResults(input: RenderResultsInput): Promise<RenderedResults>;
  finishResults(
    input: StoreLocation & {
      readonly ref: BlobRef;
      readonly outcomes: readonly boolean[];
      readonly maxBytes: number;
      readonly name: string;
    },
  ): Promise<RenderedResults>;
  /** Changes a shared session, exactly once however often it is tried. */
  applySession(input: ApplySessionInput): Promise<ApplySessionResult>;
  loadSessionUpdate(input: StoreLocation & { readonly ref: BlobRef }): Promise<SessionUpdate>;
  /** Waits for a child that is there already, and passes a cancellation on to it. */
  awaitDelegation(input: AwaitChildInput): Promise<DelegationResult>;
  awaitSession(input: AwaitChildInput): Promise<SnapshotTransfer>;
  findSession(input: AwaitChildInput): Promise<FoundSession>;
}

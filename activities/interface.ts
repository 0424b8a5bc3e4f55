import type { AgentSettings, OpenedAgent, OperatorChanges, RunInput } from '../domain/agent';
import type { Allowance } from '../domain/budget';
import type { DelegationResult, PreparedBatch, PreparedDelegation, SubagentResult } from '../domain/delegation';
import type { JsonObject } from '../domain/kernel';
import type { CallRefused, ModelReply, Price } from '../domain/model';
import type { RelayInput, SelectedValues } from '../domain/relay';
import type { ApplyRequest, ChangeVerdict, SessionSnapshot, SessionUpdate, SnapshotPayload } from '../domain/session';
import type { BlobRef, SpilledText } from '../domain/store';
import type { PinnedTools, ToolCall, ToolOutcome, ToolResult } from '../domain/tool';
import type { WorkspaceState } from '../domain/workspace';

/** The run, and the store, that an activity reads and writes. */
export interface StoreLocation {
  readonly runId: string;
  readonly storeId: string;
}

/** Identifies one model call permanently. A reply that was paid for is found in the journal under this identity. */
interface CallIdentity {
  /** First execution id of the workflow's chain. Crashes, retries and resets don't change it. */
  readonly execution: string;
  /** Zero-based index of the call. */
  readonly call: number;
  /** Increased when an operator has the call repeated, so that the journal does not return the earlier reply. */
  readonly try: number;
}

/** Input of `callModel`: the conversation so far, and everything that is new in this call. */
export interface CallModelInput extends StoreLocation {
  /** End of the transcript so far. */
  readonly head: BlobRef;
  readonly outcomes: readonly ToolOutcome[];
  /** Texts from the engine to the model, such as a violation of the output format. */
  readonly notes: readonly string[];
  readonly identity: CallIdentity;
  /** Steering messages from operators. */
  readonly steering?: readonly string[];
  /** Changes that an operator made to the agent since the last call. */
  readonly changes?: OperatorChanges;
  /** Limits to check before the call; omitted when the call can't exceed any. */
  readonly admission?: CallLimits;
  /** Set for the handoff call, in which the model must not use tools. */
  readonly closing?: true;
}

/** Limits that a call might exceed by an upper bound of its size. Its tokens are counted before the call is made. */
export interface CallLimits {
  /** Upper bound of the request's tokens, used when the provider can't count them. */
  readonly estimate: number;
  /** Maximum tokens of the request. */
  readonly window?: number;
  /** Remaining budget. */
  readonly budget?: Allowance;
  readonly price?: Price;
}

/** Input of `changeTools`. */
export interface ChangeToolsInput extends StoreLocation {
  /** The agent's current tool list. */
  readonly toolList: BlobRef;
  readonly grant: readonly string[];
  readonly revoke: readonly string[];
}

/** Result of `changeTools`. */
export interface ChangedTools {
  readonly toolList: BlobRef;
  readonly tools: PinnedTools;
  /** Names of tools that can't be granted, because the root agent of the run does not have them. */
  readonly refused: readonly string[];
  /** Descriptions of the granted tools for the model, in the format of a prompt. */
  readonly entry: string;
}

/** Input of `checkAnswer`. */
export interface CheckAnswerInput extends StoreLocation {
  /** The skill's `OutputFormat`, as JSON. */
  readonly format: BlobRef;
  readonly text: SpilledText;
}

/** The answer in canonical form, or its violation as text for the model. */
export type CheckedAnswer =
  { readonly ok: true; readonly text: SpilledText } | { readonly ok: false; readonly violation: string };

/** Input of `executeTool`. */
export interface ExecuteToolInput extends StoreLocation {
  readonly call: ToolCall;
  readonly workspace: Omit<WorkspaceState, 'base'> | null;
  /** The slices that the tool declares to read, or a ref to the whole session when they are too large. */
  readonly session?: { readonly slices: SessionSnapshot['slices'] } | { readonly ref: BlobRef };
  /** Workflow id of the calling agent. */
  readonly agent: string;
  /** Maximum bytes of the result. Default, and upper limit: `maxToolResultBytes`. */
  readonly maxResultBytes?: number;
  /** Paths that other agents changed since this agent last read them. Default: none. */
  readonly unseen?: readonly string[];
}

/** Input of `takeHandoff`. */
export interface HandoffCheckInput extends StoreLocation {
  /** The reply to the handoff call. */
  readonly text: SpilledText;
  readonly opened: Pick<OpenedAgent, 'opening'>;
  /** The slices `notes`, `artifacts` and `files`, or a ref to the whole session. */
  readonly session: NonNullable<ExecuteToolInput['session']>;
  /** Number of the agent's handoff, starting at 1. */
  readonly number: number;
  /** Folder for the artifact's name, set when other agents may hand off in the same session. */
  readonly folder?: string;
}

/** Result of `takeHandoff`: the new conversation, or the violation as text for the model. */
export type HandoffCheck =
  | {
      readonly ok: true;
      /** The new transcript, which contains only its opening: the same prompt, and the handoff as first message. */
      readonly head: BlobRef;
      readonly artifact: { readonly name: string; readonly ref: BlobRef };
      /** Estimated size of the handoff. */
      readonly artifactTokens: number;
    }
  | { readonly ok: false; readonly violation: string };

/** Input of `prepareDelegation`. */
export interface PrepareDelegationInput extends StoreLocation {
  readonly call: ToolCall;
  readonly parent: {
    readonly agentId: string;
    /** Null for a root. */
    readonly delegationId: string | null;
    readonly depth: number;
    readonly opened: OpenedAgent;
  };
  readonly settings: Omit<AgentSettings, 'runId'>;
  /** Zero-based index of the delegation among all that the parent has made. It is part of the delegation's id. */
  readonly ordinal: number;
  readonly snapshot: SnapshotPayload;
  readonly snapshotSummary: string;
  /** Version of the snapshot, against which `snapshot_version` of the call is checked. */
  readonly snapshotVersion: string;
  /** Workflow time of the call, in ISO 8601. */
  readonly at: string;
  /** Files for the context of skills; omitted when the run has no skills. */
  readonly workspace?: Omit<WorkspaceState, 'base'> | null;
}

/** Input of `prepareSkill`: a skill without a parent prompt, such as a step of a relay. */
export interface PrepareSkillInput extends StoreLocation {
  readonly skill: string;
  /** Input of the skill, checked against the skill's schema. */
  readonly input: JsonObject;
  /** Text fields of the input that may be too long for history. They are merged into `input`. */
  readonly texts?: Readonly<Record<string, SpilledText>>;
  /** Replaces the task in the skill's definition. */
  readonly task?: string;
  readonly expectedArtifacts?: readonly string[];
  /** Skills and prompts, pinned when the run started, and tools of the run's root. */
  readonly skills: BlobRef;
  readonly prompts: BlobRef;
  readonly tools: BlobRef;
  /** Files for the skill's context; null when the run has no workspace. */
  readonly workspace: Omit<WorkspaceState, 'base'> | null;
  /** Session whose artifacts the skill's context may contain. */
  readonly snapshot: SnapshotPayload;
  /** Settings of the agent that runs the skill, before the skill's own. */
  readonly settings: Omit<AgentSettings, 'runId'>;
  /** Depth of the agent that runs the skill as a delegation; 0 for a root. */
  readonly depth: number;
  /** Zero-based index among all delegations of that agent. It is part of the delegation's id. */
  readonly ordinal: number;
  readonly searchAttributes: boolean;
}

/** Input of `pickOutput`. */
export interface PickOutputInput extends StoreLocation {
  readonly text: SpilledText;
  /** The output format of the step's skill; null for free text. */
  readonly format: BlobRef | null;
  readonly paths: readonly string[];
}

/** Input of `prepareBatch`. */
export interface PrepareBatchInput extends StoreLocation {
  readonly call: ToolCall;
  readonly parent: PrepareDelegationInput['parent'];
  readonly settings: Omit<AgentSettings, 'runId'>;
  /** Ordinal of the batch's first delegation. */
  readonly firstOrdinal: number;
  /** Zero-based index of the first delegation to prepare. */
  readonly from: number;
  readonly count: number;
}

/** Input of `renderResults`. */
export interface RenderResultsInput extends StoreLocation {
  /** Text that earlier calls rendered; null in the first call. */
  readonly previous: BlobRef | null;
  /** Zero-based index of the first result. */
  readonly from: number;
  readonly total: number;
  readonly results: readonly SubagentResult[];
  /** Whether the parent's prompt requires structured answers. */
  readonly structured: boolean;
}

/** Results of a batch as text for the parent's model. */
export interface RenderedResults {
  readonly ref: BlobRef;
  /** Texts that were too long to be included. */
  readonly artifacts: readonly { readonly name: string; readonly ref: BlobRef }[];
}

/** Input of `applySession`. */
export interface ApplySessionInput extends StoreLocation {
  /** Workflow id of the session's host. */
  readonly host: string;
  readonly request: Omit<ApplyRequest, 'digest' | 'resent'>;
}

/** Verdicts of a request, and what changed in the session: inline, or as a ref when it is large. */
export type ApplySessionResult = { readonly verdicts: readonly ChangeVerdict[] } & (
  { readonly update: SessionUpdate } | { readonly updateRef: BlobRef }
);

/** Identifies a workflow that an earlier execution of its parent started. */
export interface AwaitChildInput {
  readonly workflowId: string;
  readonly parent: string;
  /** Required `identity` in the workflow's memo. It depends on what the workflow was started with. */
  readonly identity: string;
}

/** State of a shared session's host that already exists. A `lost` host has no state to start from. */
export type FoundSession =
  { readonly is: 'open' } | { readonly is: 'closed'; readonly final: SnapshotPayload } | { readonly is: 'lost' };

/** All activities that workflows call. Every side effect of a run happens in one of them. */
export interface AgentActivities {
  /** Checks a run's input, renders its root prompt, pins tools, prompts and skills, and begins the transcript. */
  openRun(input: RunInput): Promise<OpenedAgent>;
  /** Opens the root of a relay like `openRun`, and checks the relay's steps against the worker's skills. */
  openRelay(input: RelayInput): Promise<OpenedAgent>;
  /** Selects the values that a relay uses from a step's final message. */
  pickOutput(input: PickOutputInput): Promise<SelectedValues>;
  /** Imports a folder as a tree of hashes. */
  mountWorkspace(input: StoreLocation & { readonly folder: string }): Promise<BlobRef>;
  /** Creates a new tree from an existing one and a list of changes. */
  foldWorkspace(input: StoreLocation & Omit<WorkspaceState, 'base'>): Promise<BlobRef>;
  /** Calls the model, and appends the new messages and the reply to the transcript. Each call is made once. */
  callModel(input: CallModelInput): Promise<ModelReply | CallRefused>;
  /** Grants or revokes tools. No agent gets a tool that the root agent of its run does not have. */
  changeTools(input: ChangeToolsInput): Promise<ChangedTools>;
  /** Checks a final message against the output format of its skill. */
  checkAnswer(input: CheckAnswerInput): Promise<CheckedAnswer>;
  /** Runs one tool. Fails only if the infrastructure does; a failure of the tool itself is an outcome. */
  executeTool(input: ExecuteToolInput): Promise<ToolResult>;
  /** Checks and stores the handoff that an agent wrote, and begins the conversation that continues from it. */
  takeHandoff(input: HandoffCheckInput): Promise<HandoffCheck>;
  /** Stores a session snapshot. Its input may exceed the usual payload limit, because it contains a whole session. */
  saveSnapshot(input: StoreLocation & { readonly snapshot: SessionSnapshot }): Promise<BlobRef>;
  /** Loads a session snapshot. Its result may exceed the usual payload limit. */
  loadSnapshot(input: StoreLocation & { readonly ref: BlobRef }): Promise<SessionSnapshot>;
  /** Checks a call of `dispatch_subagent` or `dispatch_skill` and composes the child's prompt. Starts nothing. */
  prepareDelegation(input: PrepareDelegationInput): Promise<PreparedDelegation>;
  /** Checks the input of a skill and composes its prompt without a parent prompt. Starts nothing. */
  prepareSkill(input: PrepareSkillInput): Promise<PreparedDelegation>;
  /** Checks a call of `dispatch_subagents` and wraps the prompts of some of its delegations. Starts nothing. */
  prepareBatch(input: PrepareBatchInput): Promise<PreparedBatch>;
  /** Renders results of a batch as text for the parent's model, and appends them to what was rendered before. */
  renderResults(input: RenderResultsInput): Promise<RenderedResults>;
  /** Adds the heading to rendered results. If they exceed `maxBytes`, they become an artifact and are cut. */
  finishResults(
    input: StoreLocation & {
      readonly ref: BlobRef;
      readonly outcomes: readonly boolean[];
      readonly maxBytes: number;
      readonly name: string;
    },
  ): Promise<RenderedResults>;
  /** Sends a request to the host of a shared session, which applies it once however often it is sent. */
  applySession(input: ApplySessionInput): Promise<ApplySessionResult>;
  /** Loads a change of a shared session that was too large for `applySession`'s result. */
  loadSessionUpdate(input: StoreLocation & { readonly ref: BlobRef }): Promise<SessionUpdate>;
  /** Waits for the result of an existing child, and forwards a cancellation to it. */
  awaitDelegation(input: AwaitChildInput): Promise<DelegationResult>;
  /** Waits for the final state of a shared session whose host already exists. */
  awaitSession(input: AwaitChildInput): Promise<SnapshotPayload>;
  /** Finds out whether an existing host of a shared session is open, closed or lost. */
  findSession(input: AwaitChildInput): Promise<FoundSession>;
}

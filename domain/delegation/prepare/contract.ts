import { z } from 'zod';
import { type AgentSettings, openedAgentSchema } from '../../agent';
import { allowanceSchema } from '../../budget';
import { activityContract, type InputOf, type JsonObject, type ResultOf, uncheckedObject } from '../../kernel';
import { snapshotPayloadSchema } from '../../session';
import { blobRefSchema, spilledTextSchema, storeLocationSchema } from '../../store';
import { pinnedAccessSchema, toolCallSchema } from '../../tool';
import { workspaceFilesSchema } from '../../workspace';
import { subagentResultSchema } from '../batch-results';
import { namedArtifactSchema, preparedDelegationSchema } from '../contract';
import { preparedBatchSchema } from '../dispatch-subagents';
import { preparedTogetherSchema } from '../prepared-together';

/**
 * Settings of an agent. Not checked: they were when the run started, and an operator may have raised them beyond what a
 * new run accepts.
 */
const settingsSchema = uncheckedObject<Omit<AgentSettings, 'runId'>>();

/** Why no child could start from the session snapshot; omitted when it is in order. Only workflow code knows the slices. */
const snapshotProblem = z.string().exactOptional();

/** The delegating agent. */
const parentSchema = z.object({
  agentId: z.string(),
  /** Null for a root. */
  delegationId: z.string().nullable(),
  depth: z.int().nonnegative(),
  opened: openedAgentSchema,
  /** Head of its transcript; only if its prompt definition passes the transcript on. */
  head: blobRefSchema.exactOptional(),
});

/** A call of `dispatch_subagent` or `dispatch_skill`. */
const dispatchCallSchema = z.object({
  call: toolCallSchema,
  /** Zero-based index of the delegation among all that the parent has made. It is part of the delegation's id. */
  ordinal: z.int().nonnegative(),
});
export type DispatchCall = Readonly<z.infer<typeof dispatchCallSchema>>;

export const prepareDelegationsActivity = activityContract('prepareDelegations', {
  description:
    "Checks calls of `dispatch_subagent` and `dispatch_skill` of one reply, and composes the children's prompts. Starts nothing.",
  input: storeLocationSchema.extend({
    calls: z.array(dispatchCallSchema).min(1).readonly(),
    parent: parentSchema,
    settings: settingsSchema,
    snapshot: snapshotPayloadSchema,
    snapshotSummary: z.string(),
    /** Version of the snapshot, against which `snapshot_version` of a call is checked. */
    snapshotVersion: z.string(),
    snapshotProblem,
    /** Workflow time of the request, in ISO 8601. */
    at: z.string(),
    /** Milliseconds from then to the parent's deadline; omitted when there is none. */
    millisecondsLeft: z.int().exactOptional(),
    /** What the parent and everything below it have not spent. */
    unspent: allowanceSchema.exactOptional(),
    /** The parent's files, which the children get a copy of. */
    workspace: workspaceFilesSchema.nullable().exactOptional(),
  }),
  result: preparedTogetherSchema,
});
export type PrepareDelegationsInput = InputOf<typeof prepareDelegationsActivity>;
/** What preparing one of the calls needs. */
export type PrepareDelegationInput = Omit<PrepareDelegationsInput, 'calls'> & DispatchCall;

export const prepareSkillActivity = activityContract('prepareSkill', {
  description: 'Checks the input of a skill and composes its prompt without a parent prompt. Starts nothing.',
  /** A skill without a parent prompt, such as a step of a relay. */
  input: storeLocationSchema.extend({
    skill: z.string(),
    /** Input of the skill, checked against the skill's schema. */
    input: uncheckedObject<JsonObject>(),
    /** Text fields of the input that may be too long for history. They are merged into `input`. */
    texts: z.record(z.string(), spilledTextSchema).exactOptional(),
    /** What lists show before the headline, such as the step of a relay and its item. */
    place: z.string().exactOptional(),
    /** Replaces the task in the skill's definition. */
    task: z.string().exactOptional(),
    expectedArtifacts: z.array(z.string()).readonly().exactOptional(),
    /** Skills and prompts, pinned when the run started, and tools of the run's root. */
    skills: blobRefSchema,
    prompts: blobRefSchema,
    tools: blobRefSchema,
    /** Restricted and revoked tools of the run's root. */
    access: pinnedAccessSchema.exactOptional(),
    /** Files for the skill's context; null when the run has no workspace. */
    workspace: workspaceFilesSchema.nullable(),
    /** Session whose artifacts the skill's context may contain. */
    snapshot: snapshotPayloadSchema,
    snapshotProblem,
    /** Settings of the agent that runs the skill, before the skill's own. */
    settings: settingsSchema,
    /** Depth of the agent that runs the skill as a delegation; 0 for a root. */
    depth: z.int().nonnegative(),
    /** Zero-based index among all delegations of that agent. It is part of the delegation's id. */
    ordinal: z.int().nonnegative(),
    searchAttributes: z.boolean(),
  }),
  result: preparedDelegationSchema,
});
export type PrepareSkillInput = InputOf<typeof prepareSkillActivity>;

export const prepareBatchActivity = activityContract('prepareBatch', {
  description:
    'Checks a call of `dispatch_subagents` and wraps the prompts of some of its delegations. Starts nothing.',
  input: storeLocationSchema.extend({
    call: toolCallSchema,
    parent: parentSchema,
    settings: settingsSchema,
    /** Ordinal of the batch's first delegation. */
    firstOrdinal: z.int().nonnegative(),
    /** Zero-based index of the first delegation to prepare. */
    from: z.int().nonnegative(),
    count: z.int().nonnegative(),
    snapshotProblem,
  }),
  result: preparedBatchSchema,
});
export type PrepareBatchInput = InputOf<typeof prepareBatchActivity>;

/** Results of a batch for the parent's model. */
const renderedResultsSchema = z.object({
  ref: blobRefSchema,
  /** Texts that were too long to be included. */
  artifacts: z.array(namedArtifactSchema).readonly(),
});

export const renderResultsActivity = activityContract('renderResults', {
  description:
    "Renders results of a batch as JSON for the parent's model, and appends them to what was rendered before.",
  input: storeLocationSchema.extend({
    /** What earlier calls rendered; null in the first call. */
    previous: blobRefSchema.nullable(),
    results: z.array(subagentResultSchema).readonly(),
    /** How many long outputs may become artifacts, because the parent's session has room for them. */
    maxArtifacts: z.int().nonnegative().exactOptional(),
  }),
  result: renderedResultsSchema,
});
export type RenderResultsInput = InputOf<typeof renderResultsActivity>;
export type RenderedResults = ResultOf<typeof renderResultsActivity>;

export const finishResultsActivity = activityContract('finishResults', {
  description:
    'Completes the JSON array of rendered results and adds the heading. If it exceeds `maxBytes`, it becomes an artifact and is shortened.',
  input: storeLocationSchema.extend({
    ref: blobRefSchema,
    /** Whether each delegation of the batch succeeded. */
    outcomes: z.array(z.boolean()).readonly(),
    maxBytes: z.int().positive(),
    /** Name of the artifact. */
    name: z.string(),
  }),
  result: renderedResultsSchema,
});
export type FinishResultsInput = InputOf<typeof finishResultsActivity>;

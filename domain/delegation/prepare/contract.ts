import { z } from 'zod';
import { type AgentSettings, openedAgentSchema } from '../../agent';
import { activityContract, type InputOf, type JsonObject, type ResultOf, uncheckedObject } from '../../kernel';
import { snapshotPayloadSchema } from '../../session';
import { blobRefSchema, spilledTextSchema, storeLocationSchema } from '../../store';
import { toolCallSchema } from '../../tool';
import { workspaceFilesSchema } from '../../workspace';
import { namedArtifactSchema, preparedDelegationSchema } from '../contract';
import { preparedBatchSchema, subagentResultSchema } from '../dispatch-subagents';

/**
 * Settings of an agent. Not checked: they were when the run started, and an operator may have raised them beyond what a
 * new run accepts.
 */
const settingsSchema = uncheckedObject<Omit<AgentSettings, 'runId'>>();

/** The delegating agent. */
const parentSchema = z.object({
  agentId: z.string(),
  /** Null for a root. */
  delegationId: z.string().nullable(),
  depth: z.int().nonnegative(),
  opened: openedAgentSchema,
});

export const prepareDelegationActivity = activityContract('prepareDelegation', {
  description:
    "Checks a call of `dispatch_subagent` or `dispatch_skill` and composes the child's prompt. Starts nothing.",
  input: storeLocationSchema.extend({
    call: toolCallSchema,
    parent: parentSchema,
    settings: settingsSchema,
    /** Zero-based index of the delegation among all that the parent has made. It is part of the delegation's id. */
    ordinal: z.int().nonnegative(),
    snapshot: snapshotPayloadSchema,
    snapshotSummary: z.string(),
    /** Version of the snapshot, against which `snapshot_version` of the call is checked. */
    snapshotVersion: z.string(),
    /** Workflow time of the call, in ISO 8601. */
    at: z.string(),
    /** Files for the context of skills; omitted when the run has no skills. */
    workspace: workspaceFilesSchema.nullable().exactOptional(),
  }),
  result: preparedDelegationSchema,
});
export type PrepareDelegationInput = InputOf<typeof prepareDelegationActivity>;

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
    /** Files for the skill's context; null when the run has no workspace. */
    workspace: workspaceFilesSchema.nullable(),
    /** Session whose artifacts the skill's context may contain. */
    snapshot: snapshotPayloadSchema,
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
  }),
  result: preparedBatchSchema,
});
export type PrepareBatchInput = InputOf<typeof prepareBatchActivity>;

/** Results of a batch as text for the parent's model. */
const renderedResultsSchema = z.object({
  ref: blobRefSchema,
  /** Texts that were too long to be included. */
  artifacts: z.array(namedArtifactSchema).readonly(),
});

export const renderResultsActivity = activityContract('renderResults', {
  description:
    "Renders results of a batch as text for the parent's model, and appends them to what was rendered before.",
  input: storeLocationSchema.extend({
    /** Text that earlier calls rendered; null in the first call. */
    previous: blobRefSchema.nullable(),
    /** Zero-based index of the first result. */
    from: z.int().nonnegative(),
    total: z.int().nonnegative(),
    results: z.array(subagentResultSchema).readonly(),
    /** Whether the parent's prompt requires structured answers. */
    structured: z.boolean(),
  }),
  result: renderedResultsSchema,
});
export type RenderResultsInput = InputOf<typeof renderResultsActivity>;
export type RenderedResults = ResultOf<typeof renderResultsActivity>;

export const finishResultsActivity = activityContract('finishResults', {
  description: 'Adds the heading to rendered results. If they exceed `maxBytes`, they become an artifact and are cut.',
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

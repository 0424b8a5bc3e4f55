import { z } from 'zod';
import { spendingSchema } from '../budget';
import { activityContract, type InputOf, uncheckedObject } from '../kernel';
import { slicesPayloadSchema } from '../session';
import { blobRefSchema, spilledTextSchema, storeLocationSchema } from '../store';
import { workspaceStateSchema } from '../workspace';
import type { AgentSettings } from './agent-settings';
import { openedAgentSchema } from './progress';
import { continuesSchema } from './run-input';
import { filesContract, snapshotContract } from './status-contract';

// The record of a run, which its folder in the store keeps after the server has deleted the workflows. A record is
// written once. What a retry or a reset does later is recorded beside it, and the latest counts.

/** Version of the record's format. A reader ignores records of another version. */
export const recordVersion = z.literal(1);

/** The root of a run or a relay, recorded when it is opened. */
export const rootRecordSchema = z.object({
  v: recordVersion,
  goal: z.string(),
  /** Name of the relay; null for a run. */
  relay: z.string().nullable(),
  /** Namespace and key of the root's prompt; omitted when it is Baton's own. */
  prompt: z.string().exactOptional(),
  /** Folder that was imported, as workers see it; null when there is none. */
  workspace: z.string().nullable(),
  /** Settings of the root. Not checked: they were when the run started. */
  settings: uncheckedObject<AgentSettings>(),
  /** Time that the root's skill allows, in seconds; omitted when it does not limit it. */
  deadlineSeconds: z.int().positive().exactOptional(),
  /** What the providers of the run's models cannot do, one sentence each; omitted when there is nothing to say. */
  modelNotes: z.array(z.string()).readonly().exactOptional(),
  opened: openedAgentSchema,
  /** Its input as it was sent, for starting it again. Not checked: it is when it is sent again. */
  input: uncheckedObject<object>().exactOptional(),
  /** The turn of another run that it continues from; omitted when it began by itself. */
  continues: continuesSchema.exactOptional(),
  at: z.string(),
});
export type RootRecord = Readonly<z.infer<typeof rootRecordSchema>>;

/**
 * The final message of an agent, recorded by the model call that returned it. An agent that is asked to correct or to
 * summarize it has several.
 */
export const finalRecordSchema = z.object({
  v: recordVersion,
  /** Workflow id of the agent. */
  agent: z.string(),
  /** Head of the transcript that ends with the message. */
  head: blobRefSchema,
  at: z.string(),
});
export type FinalRecord = Readonly<z.infer<typeof finalRecordSchema>>;

/** How an agent ended. */
const endingFields = {
  /** Workflow id of the agent. */
  agent: z.string(),
  /** Workflow time of the end, ISO 8601. */
  at: z.string(),
  status: z.enum(['completed', 'failed', 'cancelled']),
  /** Why it failed; null unless it did. */
  failure: z.object({ type: z.string(), message: z.string() }).nullable(),
  /** What a completed agent returned: the answer of a run, or the text that the parent got. */
  answer: spilledTextSchema.nullable(),
  snapshot: snapshotContract.result,
  /** Set when an operator skipped it and supplied the answer. The last decision says who. */
  skipped: z.literal(true).exactOptional(),
  /** Spending of the agent and its delegations together. */
  spent: spendingSchema,
};

/** The end of an agent, with its last status. */
export const endingRecordSchema = z.object({
  v: recordVersion,
  ...endingFields,
  /** Workspace and artifacts of a root; null for a delegation. */
  files: filesContract.result.nullable(),
});
export type EndingRecord = Readonly<z.infer<typeof endingRecordSchema>>;

/** UI summary of every activity with which an agent records its end. They come last in its history. */
export const endingSummary = 'record the end';

export const recordEndingActivity = activityContract('recordEnding', {
  description:
    'Records in the store how an agent ended: every root, and each delegation that failed, was cancelled, handed off or ' +
    'needed an operator.',
  input: storeLocationSchema.extend({
    ...endingFields,
    /** First execution of the workflow's chain, as in the identity of a model call. */
    execution: z.string(),
    /** The workspace of a root, and its slice `artifacts` or a ref to it. Omitted for a delegation. */
    files: z.object({ workspace: workspaceStateSchema.nullable(), session: slicesPayloadSchema }).exactOptional(),
    /** Set if what the agent spent has to be looked up, because delegations ended without reporting it. */
    looksUpSpending: z.literal(true).exactOptional(),
  }),
  /** What the journal says that the agent spent, by itself and with its delegations; null if it was not looked up. */
  result: z.object({ own: spendingSchema, withDelegations: spendingSchema }).nullable(),
});
export type RecordEndingInput = InputOf<typeof recordEndingActivity>;

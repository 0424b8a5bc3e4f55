import { z } from 'zod';
import { activityContract, type InputOf, type ResultOf, uncheckedList, uncheckedObject } from '../kernel';
import { blobRefSchema, storeLocationSchema } from '../store';
import type { SessionDelta } from './delta';
import type { Session } from './session';
import type { SessionSnapshot } from './snapshot';
import { storedWritersSchema, writersSchema } from './shared/writers';
import { type ChangeVerdict, changeVerdictSchema, type RequestedChange } from './turn';

// Sessions and changes to them may be megabytes long, and the session's own schema checks them where they are used.
// So contracts check only that they are objects or lists.

/** A session. */
export const uncheckedSession = uncheckedObject<Session>();

/** A session snapshot. `hydrate` checks it against the session's schema. */
const uncheckedSnapshot = z.custom<SessionSnapshot>(
  (value) => typeof value === 'object' && value !== null && 'slices' in value,
  'is not a session snapshot',
);

/** A session snapshot as it is passed to a child: inline if it is small, otherwise stored once per session version. */
export const snapshotPayloadSchema = z.union([
  z.object({ inline: uncheckedSnapshot }),
  z.object({ ref: blobRefSchema }),
]);
export type SnapshotPayload = Readonly<z.infer<typeof snapshotPayloadSchema>>;

/** Maximum bytes of JSON of a session snapshot that is passed inline. */
export const inlineSnapshotBytes = 8 * 1024;

/** Slices that an activity reads: inline, or a ref to a snapshot that has them when they are too large. */
export const slicesPayloadSchema = z.union([
  z.object({ slices: uncheckedObject<SessionSnapshot['slices']>() }),
  z.object({ ref: blobRefSchema }),
]);
export type SlicesPayload = Readonly<z.infer<typeof slicesPayloadSchema>>;

export const saveSnapshotActivity = activityContract('saveSnapshot', {
  description:
    'Stores a session snapshot. Its input may exceed the usual payload limit, because it contains a whole session.',
  input: storeLocationSchema.extend({ snapshot: uncheckedSnapshot }),
  result: blobRefSchema,
});

export const loadSnapshotActivity = activityContract('loadSnapshot', {
  description: 'Loads a session snapshot. Its result may exceed the usual payload limit.',
  input: storeLocationSchema.extend({ ref: blobRefSchema }),
  result: uncheckedSnapshot,
});

/** A writer's request to the host: the changes of one turn, or a chunk of them. */
export const applyRequestSchema = z.object({
  /** Delegation id of the agent. */
  writer: z.string(),
  /**
   * Temporal run id of the agent's execution. After a reset or continue-as-new, the host fences off the old execution.
   */
  epoch: z.string(),
  /**
   * Time of the workflow task that first made the request, in milliseconds of the server's clock. A repetition has the
   * same time. It is recorded with the request and orders executions. One workflow id has one open execution at a time, so every request of an execution,
   * even one sent by an activity that outlives it, was made before its successor's first task began. Nothing else
   * orders executions: run ids have no order, and a reset execution can't know which one it replaced.
   */
  at: z.number(),
  /** Sequence number of the request within its execution, 0-based. */
  seq: z.int().nonnegative(),
  /** Version of the session that the agent has. */
  since: z.int().nonnegative(),
  turn: z.int().nonnegative(),
  wanted: uncheckedList<RequestedChange>(),
  /** Whether the sending execution is not the one that made the request. A reset carries over pending activities. */
  resent: z.boolean(),
  /** Digest of `wanted`, to distinguish a repetition from a different request. */
  digest: z.string(),
});
export type ApplyRequest = Readonly<z.infer<typeof applyRequestSchema>>;

/** All changes since the version that the agent had, including its own, or the whole session. */
export const sessionUpdateSchema = z.union([
  z.object({ delta: uncheckedObject<SessionDelta>() }),
  z.object({ whole: uncheckedSession }),
]);
export type SessionUpdate = Readonly<z.infer<typeof sessionUpdateSchema>>;

/** The host's reply to one request. */
export type ApplyReply =
  | {
      readonly ok: true;
      readonly version: number;
      readonly verdicts: readonly ChangeVerdict[];
      readonly update: SessionUpdate;
    }
  /** The host refused the request and changed nothing. `staleEpoch`: the sending execution has been replaced. */
  | { readonly ok: false; readonly reason: 'staleEpoch' | 'gap' | 'otherRequest' | 'closed' };

const verdicts = z.array(changeVerdictSchema).readonly();

/** Verdicts of a request, and what changed in the session: inline, or as a ref when it is large. */
export const applySessionResultSchema = z.union([
  z.object({ verdicts, update: sessionUpdateSchema }),
  z.object({ verdicts, updateRef: blobRefSchema }),
]);

/** A request before it is known what it asks for. Every attempt at it has the same number and time. */
export const placedRequestSchema = applyRequestSchema.omit({ wanted: true, digest: true, resent: true });
export type PlacedRequest = Readonly<z.infer<typeof placedRequestSchema>>;

export const applySessionActivity = activityContract('applySession', {
  description: 'Sends a request to the host of a shared session, which applies it once however often it is sent.',
  input: storeLocationSchema.extend({
    /** Workflow id of the session's host. */
    host: z.string(),
    request: applyRequestSchema.omit({ digest: true, resent: true }),
  }),
  result: applySessionResultSchema,
});
export type ApplySessionInput = InputOf<typeof applySessionActivity>;
export type ApplySessionResult = ResultOf<typeof applySessionActivity>;

export const loadSessionUpdateActivity = activityContract('loadSessionUpdate', {
  description: "Loads a change of a shared session that was too large for `applySession`'s result.",
  input: storeLocationSchema.extend({ ref: blobRefSchema }),
  result: sessionUpdateSchema,
});

export const storeWritersActivity = activityContract('storeWriters', {
  description:
    'Stores writers that the host of a shared session has not heard from for longest, in front of earlier ones.',
  input: storeLocationSchema.extend({ previous: blobRefSchema.nullable(), writers: writersSchema }),
  result: blobRefSchema,
});

export const findWritersActivity = activityContract('findWriters', {
  description: 'Looks up writers of a shared session that its host has moved to the store. Returns those that exist.',
  input: storeLocationSchema.extend({
    page: storedWritersSchema.shape.page,
    names: z.array(z.string()).readonly(),
  }),
  result: writersSchema,
});

/** Memo of a child workflow, by which a later execution of its parent recognizes it. */
export const childMemoSchema = z.object({
  /** Depends on what the child was started with. */
  identity: z.string(),
  /** Position of a delegation among those of its parent, in the order in which they were requested. */
  ordinal: z.int().nonnegative().exactOptional(),
});
export type ChildMemo = Readonly<z.infer<typeof childMemoSchema>>;

/** Identifies a workflow that an earlier execution of its parent started. */
export const existingChildSchema = z.object({
  workflowId: z.string(),
  /** Workflow id of the parent. */
  parent: z.string(),
  /** Required `identity` in the child's memo. */
  identity: childMemoSchema.shape.identity,
});
export type ExistingChild = Readonly<z.infer<typeof existingChildSchema>>;

export const isWorkflowOpenActivity = activityContract('isWorkflowOpen', {
  description:
    'Finds out whether the parent of a delegation, or of the host of a shared session, is open. Only one that runs for minutes asks.',
  input: z.object({ workflowId: z.string() }),
  result: z.boolean(),
});

export const awaitSessionActivity = activityContract('awaitSession', {
  description: 'Waits for the final state of a shared session whose host already exists.',
  input: existingChildSchema,
  result: snapshotPayloadSchema,
});

export const findSessionActivity = activityContract('findSession', {
  description: 'Finds out whether an existing host of a shared session is open, closed or lost.',
  input: existingChildSchema,
  /** A `lost` host has no state to start from. */
  result: z.discriminatedUnion('is', [
    z.object({ is: z.literal('open') }),
    z.object({ is: z.literal('closed'), final: snapshotPayloadSchema }),
    z.object({ is: z.literal('lost') }),
  ]),
});
export type FoundSession = ResultOf<typeof findSessionActivity>;

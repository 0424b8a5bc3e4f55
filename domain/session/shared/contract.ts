import { z } from 'zod';
import {
  checkedFields,
  noArgument,
  queryContract,
  signalContract,
  uncheckedList,
  uncheckedObject,
  updateContract,
  workflowContract,
} from '../../kernel';
import { storeLocationSchema } from '../../store';
import type { SessionEvent } from '../../tool';
import type { FileChange } from '../../workspace';
import { applyRequestSchema, snapshotPayloadSchema, uncheckedSession } from '../contract';
import type { HostState, PackedReplies } from './host';

/** The host's replies to several requests, in their order. */
const packedRepliesSchema = z.object({
  replies: uncheckedList<PackedReplies['replies'][number]>(),
  /** The whole session; omitted when no reply refers to it. */
  newest: uncheckedSession.exactOptional(),
});

/** What merging changes relies on. The session checks the rest when they are applied, and refuses what is invalid. */
const requestedChangeSchema = z.object({
  tool: z.string().nullable(),
  callId: z.string(),
  isError: z.boolean(),
  changes: z
    .array(
      checkedFields<FileChange>(
        z.object({ path: z.string(), expectedHash: z.string().nullable(), newHash: z.string().nullable() }),
      ),
    )
    .readonly(),
  events: uncheckedList<SessionEvent>(),
});

export const applyTurnsContract = updateContract('applyTurns', {
  description:
    'Applies the requests of one or more writers to a shared session, in their order, and returns one reply per request. Sent by activities, not by people.',
  input: z.object({
    requests: z.array(applyRequestSchema.extend({ wanted: z.array(requestedChangeSchema).readonly() })).readonly(),
  }),
  result: packedRepliesSchema,
});

export const closeSessionContract = signalContract('closeSession', {
  description: 'Closes a shared session. Its host accepts no more requests and completes with the final state.',
  input: noArgument,
});

export const isClosedContract = queryContract('isClosed', {
  description:
    'Returns whether a shared session accepts no more requests. Sent by an activity when the host already exists.',
  result: z.boolean(),
});

/** Input of a `sessionWorkflow`, and the state of its previous execution. */
const sessionHostStartSchema = storeLocationSchema.extend({
  session: snapshotPayloadSchema,
  /** Host internals that tests change. */
  tuning: z
    .object({
      /** Requests after which the host continues as new. */
      requestsPerExecution: z.int().positive().exactOptional(),
      /** Time between two looks whether the agent that opened the session is open, in milliseconds. */
      parentCheckMs: z.int().positive().exactOptional(),
    })
    .exactOptional(),
  resume: uncheckedObject<HostState>().exactOptional(),
});
export type SessionHostStart = Readonly<z.infer<typeof sessionHostStartSchema>>;

export const sessionWorkflowContract = workflowContract('sessionWorkflow', {
  description: 'host of the session that the delegations of a batch share',
  workflowId: '<id of the parent>/session-<turn>',
  input: sessionHostStartSchema,
  result: snapshotPayloadSchema,
});

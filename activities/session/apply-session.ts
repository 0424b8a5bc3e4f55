import { Context } from '@temporalio/activity';
import { type Client, WorkflowFailedError, WorkflowNotFoundError } from '@temporalio/client';
import { DomainError, type FailureType, jsonDigest } from '../../domain/kernel';
import {
  type ApplyReply,
  type ApplySessionInput,
  type ApplySessionResult,
  type ExistingChild,
  type FoundSession,
  isClosedContract,
  type SessionUpdate,
  sessionUpdateSchema,
  sessionWorkflowContract,
} from '../../domain/session';
import { type BlobRef, maxPayloadBytes, type RunStore, type StoreLocation } from '../../domain/store';
import { getJson, measurePayload, putJson } from '../../store/blobs';
import { assertSameDelegation, parseResult, stillRunning } from '../delegation/await-child';
import { runStoreFor, type SharedDependencies } from '../dependencies';
import { whileHeartbeating } from '../heartbeat';
import { withinTime } from '../within-time';
import { RequestWithdrawnError } from './session-sender';

/** Thrown when the host of a shared session refuses a request. Sending it again would not help. */
class SessionRefusedError extends DomainError {
  constructor(
    readonly type: FailureType,
    message: string,
  ) {
    super(message);
  }
}

const refusals: Readonly<Record<Extract<ApplyReply, { ok: false }>['reason'], readonly [FailureType, string]>> = {
  staleEpoch: [
    'Session.Fenced',
    'A newer execution of this agent writes to the session; this one must not write any more',
  ],
  gap: ['Session.ProtocolError', 'An earlier request of this agent is missing'],
  otherRequest: ['Session.ProtocolError', 'This agent already sent a different request with the same sequence number'],
  closed: ['Session.HostLost', 'The shared session is closed'],
};

/** Not retried, because a host that has ended is not started again. */
const hostGone = ['Session.HostLost', 'The host of the shared session is not running'] as const;

/** Thrown when the host does not answer soon. The activity ends, so that it occupies no slot, and is tried again. */
class SessionBusyError extends DomainError {
  readonly type = 'Session.HostBusy';

  constructor(host: string) {
    super(`${host} has not answered within ${patienceMs / 1_000} s; the same request is sent again`);
  }
}

/** How long an attempt waits for an answer, which usually takes some milliseconds. */
const patienceMs = 10_000;

/** Sends a request to the host of a shared session. Repeated attempts change the session once. */
export async function applySession(
  dependencies: SharedDependencies,
  { host, request, ...location }: ApplySessionInput,
): Promise<ApplySessionResult> {
  const { store } = dependencies;
  // The host may wait for the store to load the session. Waiting for it would be counted as a failed attempt.
  await store.checkWritable();
  const reply = await whileHeartbeating((signal) => sendRequest(dependencies, host, request, signal));
  if (!reply.ok) throw new SessionRefusedError(...refusals[reply.reason]);
  return toApplied(runStoreFor(store, location), reply, maxPayloadBytes / 2);
}

/** Sends a request once, and waits some seconds for the reply. */
export async function sendRequest(
  { sessionSender }: Pick<SharedDependencies, 'sessionSender'>,
  host: string,
  request: ApplySessionInput['request'],
  signal: AbortSignal,
): Promise<ApplyReply> {
  const digest = jsonDigest(request.wanted);
  const resent = Context.current().info.workflowExecution?.runId !== request.epoch;
  const sent = { ...request, resent, digest };
  return withinTime(signal, patienceMs, (stop) => sessionSender.apply(host, sent, stop)).catch((error: unknown) => {
    if (error instanceof RequestWithdrawnError) throw new SessionBusyError(host);
    throw error instanceof WorkflowNotFoundError ? new SessionRefusedError(...hostGone) : error;
  });
}

/** What the writer learns from a reply. A change of the session that is larger than `room` is stored. */
export async function toApplied(
  store: RunStore,
  reply: Extract<ApplyReply, { ok: true }>,
  room: number,
): Promise<ApplySessionResult> {
  const { verdicts, update } = reply;
  if (measurePayload(reply) <= room) return { verdicts, update };
  return { verdicts, updateRef: await putJson(store, update) };
}

/** Loads a change of a shared session that was stored because of its size. */
export async function loadSessionUpdate(
  { store }: SharedDependencies,
  { ref, ...location }: StoreLocation & { readonly ref: BlobRef },
): Promise<SessionUpdate> {
  return getJson(runStoreFor(store, location), ref, sessionUpdateSchema, 'changes of a shared session');
}

/**
 * Finds out the state of a shared session's host that an earlier execution of its agent started. A host that was asked
 * to close accepts no more requests. If it has not completed yet, because it waits for the store for example, this fails
 * like every look at something that still runs, so that waiting occupies no slot.
 */
export async function findSession(
  { client }: { readonly client: Client },
  input: ExistingChild,
): Promise<FoundSession> {
  return whileHeartbeating(async () => {
    const handle = client.workflow.getHandle(input.workflowId);
    try {
      const description = await handle.describe();
      assertSameDelegation(description, input);
      if (description.status.name === 'RUNNING') {
        if (!(await handle.query<boolean>(isClosedContract.name))) return { is: 'open' };
        throw stillRunning(input);
      }
      return { is: 'closed', final: parseResult(sessionWorkflowContract.result, await handle.result(), input) };
    } catch (error) {
      if (error instanceof WorkflowFailedError || error instanceof WorkflowNotFoundError) return { is: 'lost' };
      throw error;
    }
  });
}

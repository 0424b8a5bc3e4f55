import { Context } from '@temporalio/activity';
import { WorkflowNotFoundError } from '@temporalio/client';
import { DomainError } from '../domain/errors';
import type { FailureType } from '../domain/failure-types';
import { jsonDigest } from '../domain/hash';
import type { ApplyReply, SessionUpdate } from '../domain/shared-session/protocol';
import type { BlobRef } from '../domain/store/blob-ref';
import { maxPayloadBytes } from '../domain/store/spilled';
import { putJson } from '../store/json-blobs';
import { measurePayload } from '../store/spill';
import { storeAt, type SharedDependencies } from './dependencies';
import { whileHeartbeating } from './heartbeat';
import type { ApplySessionInput, ApplySessionResult } from './interface';

/** The host of a shared session would not take a request, and never will. */
export class SessionRefusedError extends DomainError {
  constructor(
    readonly type: FailureType,
    message: string,
  ) {
    super(message);
  }
}

const refusals: Readonly<Record<Extract<ApplyReply, { ok: false }>['reason'], readonly [FailureType, string]>> = {
  staleEpoch: ['Session.Fenced', 'Another execution of this agent has taken over; this one must not write any more'],
  gap: ['Session.ProtocolError', 'A request of this agent is missing'],
  otherRequest: ['Session.ProtocolError', 'This agent has sent something else under the same number before'],
  closed: ['Session.HostLost', 'The shared session is closed'],
};

/** It would not come back by itself, so there is nothing to try again. */
const hostGone = ['Session.HostLost', 'The host of the shared session is gone'] as const;

/** Changes a shared session; repeated attempts change it once. */
export async function applySession(
  { store, sessionSender }: SharedDependencies,
  { host, request, ...location }: ApplySessionInput,
): Promise<ApplySessionResult> {
  const digest = jsonDigest(request.wanted);
  const resent = Context.current().info.workflowExecution?.runId !== request.epoch;
  const reply = await whileHeartbeating((signal) =>
    unlessAborted(sessionSender.apply(host, { ...request, resent, digest }), signal),
  ).catch((error: unknown) => {
    throw error instanceof WorkflowNotFoundError ? new SessionRefusedError(...hostGone) : error;
  });
  if (!reply.ok) throw new SessionRefusedError(...refusals[reply.reason]);
  const { verdicts, update } = reply;
  if (measurePayload(reply) <= maxPayloadBytes / 2) return { verdicts, update };
  return { verdicts, updateRef: await putJson(storeAt(store, location), update) };
}

/** The host may be busy or without a worker for long; whoever is told to stop must not wait for it. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      reject(new Error('Aborted'));
    };
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject);
  });
}

export async function loadSessionUpdate(
  { store }: SharedDependencies,
  { ref, ...location }: { readonly ref: BlobRef; readonly runId: string; readonly storeId: string },
): Promise<SessionUpdate> {
  const bytes = await storeAt(store, location).get(ref, 'changes of a shared session');
  return JSON.parse(Buffer.from(bytes).toString('utf8')) as SessionUpdate;
}

import { allHandlersFinished, condition, continueAsNew, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import {
  type ApplyRequest,
  applyRequests,
  applyTurnsContract,
  closeSessionContract,
  type HostState,
  inlineSnapshotBytes,
  isClosedContract,
  measureSession,
  type PackedReplies,
  type RecentVersions,
  type Session,
  type SessionHostStart,
  type SessionSchema,
  snapshot,
  type SnapshotPayload,
} from '../../domain/session';
import type { StoreLocation } from '../../domain/store';
import { handleQuery, handleSignal, handleUpdate } from '../handlers';
import { receiveSession, saveSession } from './transfer-session';

/** Signature of `sessionWorkflow`. */
export type SessionWorkflow = (start: SessionHostStart) => Promise<SnapshotPayload>;

/** Updates after which the host continues as new. The server allows 2,000 per execution. */
const updatesPerExecution = 1_500;

/**
 * Hosts a shared session while a batch runs. It applies every write once, in one order, and returns the final state.
 */
export async function hostSession(
  schema: SessionSchema,
  { resume, ...start }: SessionHostStart,
): Promise<SnapshotPayload> {
  const host = new Host(schema, resume);
  handleUpdate(applyTurnsContract, ({ requests }) => host.apply(requests), {
    description: 'Changes the shared session. Sent by the agents of the batch, not by people.',
  });
  handleSignal(closeSessionContract, () => {
    host.closed = true;
  });
  handleQuery(isClosedContract, () => host.closed, { description: 'Whether the session accepts no more requests.' });
  const location = { runId: start.runId, storeId: start.storeId };
  if (resume === undefined) {
    host.state = { session: await receiveSession(schema, location, start.session), writers: {} };
  }
  const limit = start.tuning?.requestsPerExecution ?? updatesPerExecution;
  const isFull = (): boolean => host.updates >= limit || workflowInfo().continueAsNewSuggested;
  await condition(() => (host.closed || isFull()) && allHandlersFinished());
  if (!host.closed)
    return continueAsNew<SessionWorkflow>({ ...start, ...(host.state === undefined ? {} : { resume: host.state }) });
  return finalState(schema, location, host.session());
}

class Host {
  closed = false;
  updates = 0;
  private remembered: RecentVersions = [];

  constructor(
    private readonly schema: SessionSchema,
    /** Undefined until the session has been loaded. */
    public state: HostState | undefined,
  ) {}

  /**
   * Applies requests in their order. Nothing is awaited once the session is loaded, so no other Update comes in
   * between.
   */
  async apply(requests: readonly ApplyRequest[]): Promise<PackedReplies> {
    await condition(() => this.state !== undefined);
    this.updates += 1;
    if (this.closed || this.state === undefined)
      return { replies: requests.map(() => ({ ok: false, reason: 'closed' })) };
    const { state, remembered, replies } = applyRequests(this.schema, this.state, this.remembered, requests);
    this.state = state;
    this.remembered = remembered;
    setCurrentDetails(`version ${state.session.version}, ${Object.keys(state.writers).length} writers`);
    return replies;
  }

  session(): Session {
    return this.state?.session ?? { version: 0, slices: {} };
  }
}

async function finalState(schema: SessionSchema, location: StoreLocation, session: Session): Promise<SnapshotPayload> {
  const captured = snapshot(schema, session);
  if (measureSession(session).bytes <= inlineSnapshotBytes) return { inline: captured };
  return { ref: await saveSession(location, captured) };
}

import {
  CancellationScope,
  allHandlersFinished,
  condition,
  continueAsNew,
  proxyActivities,
  setCurrentDetails,
  workflowInfo,
} from '@temporalio/workflow';
import type { AgentActivities } from '../../activities/interface';
import {
  afterFinding,
  afterStoring,
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
  slicesWithRecords,
  type SnapshotPayload,
  type Writers,
  writersToFind,
  writersToStore,
} from '../../domain/session';
import { sessionContract } from '../../domain/agent';
import type { StoreLocation } from '../../domain/store';
import { shortActivityOptions } from '../../temporal-config/activity-options';
import { activityOptions } from '../agent/agent';
import { handleQuery, handleSignal, handleUpdate } from '../handlers';
import { hasOpenParent, parentCheckMs } from '../open-parent';
import { requireSessionId } from '../workflow-id';
import { receiveSession, saveSession, takeSnapshot } from './transfer-session';

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
  requireSessionId(start.runId);
  const location = { runId: start.runId, storeId: start.storeId };
  const host = new Host(schema, location, resume);
  handleUpdate(applyTurnsContract, ({ requests }) => host.apply(requests), {
    description: 'Changes the shared session. Sent by the agents of the batch, not by people.',
  });
  handleSignal(closeSessionContract, () => {
    host.closed = true;
  });
  handleQuery(isClosedContract, () => host.closed, { description: 'Whether the session accepts no more requests.' });
  handleQuery(sessionContract, () => host.session(), {
    description: 'The shared session: plan, notes, artifacts, changed files and tool calls of all its agents.',
  });
  if (resume === undefined) {
    host.state = { session: await receiveSession(schema, location, start.session), writers: {} };
  }
  const limit = start.tuning?.requestsPerExecution ?? updatesPerExecution;
  const isFull = (): boolean => host.updates >= limit || workflowInfo().continueAsNewSuggested;
  const mustAct = (): boolean => host.surplus !== undefined || ((host.closed || isFull()) && allHandlersFinished());
  for (;;) {
    const isIdle = !(await condition(mustAct, parentCheckMs(start.tuning)));
    // A request to close, for example, is not kept waiting.
    if (isIdle) await lookForParent(host, mustAct);
    // The state is carried over only when its size is bounded. The final state contains no writers.
    else if (host.surplus === undefined || host.closed) break;
    else await host.storeWriters(host.surplus);
  }
  await condition(allHandlersFinished);
  if (!host.closed)
    return continueAsNew<SessionWorkflow>({ ...start, ...(host.state === undefined ? {} : { resume: host.state }) });
  return finalState(schema, location, host.session());
}

/** Finds out whether the parent is still open, unless there is something to do first. */
async function lookForParent(host: Host, mustAct: () => boolean): Promise<void> {
  const waiting = new CancellationScope();
  const interrupted = waiting.run(() => condition(mustAct)).catch(() => undefined);
  await Promise.race([host.closeIfAbandoned(), interrupted]);
  // Otherwise the conditions of all idle looks would be evaluated after every activation.
  waiting.cancel();
}

class Host {
  closed = false;
  updates = 0;
  /** Writers to move to the store; undefined while all of them fit. */
  surplus: Writers | undefined;
  private remembered: RecentVersions = [];

  constructor(
    private readonly schema: SessionSchema,
    private readonly location: StoreLocation,
    /** Undefined until the session has been loaded. */
    public state: HostState | undefined,
  ) {}

  /** Applies requests in their order, all at once: nothing is awaited after writers in the store have been found. */
  async apply(requests: readonly ApplyRequest[]): Promise<PackedReplies> {
    await condition(() => this.state !== undefined);
    this.updates += 1;
    const missing = this.state === undefined ? [] : writersToFind(this.state, requests);
    if (missing.length > 0) await this.findWriters(missing);
    if (this.closed || this.state === undefined)
      return { replies: requests.map(() => ({ ok: false, reason: 'closed' })) };
    const { state, remembered, replies } = applyRequests(this.schema, this.state, this.remembered, requests);
    this.state = state;
    this.remembered = remembered;
    this.surplus = writersToStore(state);
    setCurrentDetails(currentDetails(state));
    return replies;
  }

  /** Closes the session if the agent that opened it has ended without closing it. */
  async closeIfAbandoned(): Promise<void> {
    if (!(await hasOpenParent({}))) this.closed = true;
  }

  /** Moves writers to the store. Requests that arrive in the meantime are applied. */
  async storeWriters(writers: Writers): Promise<void> {
    const previous = this.state?.stored?.page ?? null;
    const page = await hostActivities().storeWriters({ ...this.location, previous, writers });
    if (this.state === undefined) return;
    this.state = afterStoring(this.state, writers, page);
    this.surplus = writersToStore(this.state);
  }

  /** Looks writers up in the store, again if others were moved there in the meantime. */
  private async findWriters(names: readonly string[]): Promise<void> {
    for (let page = this.state?.stored?.page; page !== undefined;) {
      const found = await hostActivities().findWriters({ ...this.location, page, names });
      if (this.state === undefined) return;
      const newest = this.state.stored?.page;
      if (newest?.hash === page.hash) {
        this.state = afterFinding(this.state, found);
        return;
      }
      page = newest;
    }
  }

  session(): Session {
    return this.state?.session ?? { version: 0, slices: {} };
  }
}

/** Formats the state of a shared session as Markdown, for the Web UI. */
function currentDetails({ session }: HostState): string {
  const slices = slicesWithRecords(session).map(([name, records]) => `- ${name}: ${records.length}`);
  return [`version ${session.version}, records:`, '', ...slices].join('\n');
}

function hostActivities(): AgentActivities {
  return proxyActivities<AgentActivities>(activityOptions(shortActivityOptions, {}, 'remember the writers'));
}

async function finalState(schema: SessionSchema, location: StoreLocation, session: Session): Promise<SnapshotPayload> {
  const captured = takeSnapshot(schema, session);
  if (measureSession(session).bytes <= inlineSnapshotBytes) return { inline: captured };
  return { ref: await saveSession(location, captured) };
}

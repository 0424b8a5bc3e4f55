import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  CancellationScope,
  type ChildWorkflowHandle,
  DeterminismViolationError,
  getExternalWorkflowHandle,
  isCancellation,
  proxyActivities,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import type { AgentActivities } from '../../activities/interface';
import { withSession } from '../../domain/agent';
import {
  type ChildMemo,
  type SessionHostStart,
  sessionWorkflowContract,
  type SnapshotPayload,
} from '../../domain/session';
import { awaitChildOptions, shortActivityOptions } from '../../temporal-config/activity-options';
import { urgent } from '../../temporal-config/priority';
import { activityOptions, type Agent, agentWorkflowId, storeLocation } from '../agent/agent';
import { rootCause } from '../failures';
import { closeSessionSignal } from '../messages';
import type { SessionWorkflow } from './session-workflow';
import { receiveSession } from './transfer-session';

/** Handle of the session that a turn's batches share. */
export interface SharedSessionHandle {
  /** Workflow id of the host. */
  readonly workflowId: string;
  /**
   * Called whenever a child starts. Whether others may have written since the snapshot with which it starts: all
   * children but those that start together as the first ones, because nobody else can have written before them.
   */
  startsLate(): boolean;
  /**
   * Closes the session and merges everything that the children wrote into this agent's. Returns a message for the model
   * if the session was lost.
   */
  close(): Promise<string | undefined>;
  /** Called when this agent ends before its batch does. After a reset, the server would not close the host with it. */
  abandon(): Promise<void>;
}

/**
 * Opens the session for a turn's batches. An agent that itself writes to a shared session passes that one to its
 * children.
 */
export async function openSharedSession(agent: Agent, session: Promise<SnapshotPayload>): Promise<SharedSessionHandle> {
  if (agent.shared !== null) return inherited(agent.shared.host);
  const { workflowId, isFresh, final, abandon } = await startOrAttach(agent, await session);
  agent.hosted = workflowId;
  return {
    workflowId,
    startsLate: lateStarts(!isFresh || wasReset()),
    abandon() {
      agent.hosted = null;
      return abandon();
    },
    async close() {
      try {
        const session = await receiveSession(agent.schema, storeLocation(agent), await final(), agent.settings);
        agent.progress = withSession(agent.progress, session);
        return undefined;
      } catch (error) {
        if (CancellationScope.current().consideredCancelled || error instanceof DeterminismViolationError) throw error;
        return lossOf(error);
      } finally {
        agent.hosted = null;
      }
    },
  };
}

/** Others than the children of this agent write to this session, so every child starts late. */
function inherited(workflowId: string): SharedSessionHandle {
  return {
    workflowId,
    startsLate: () => true,
    close: () => Promise.resolve(undefined),
    abandon: () => Promise.resolve(),
  };
}

/**
 * Children that start in the same workflow task start at the same moment. The ones in the first task find the session as
 * the host got it, unless it was written to before.
 */
function lateStarts(isWrittenTo: boolean): () => boolean {
  let first: number | undefined;
  return () => {
    const { historyLength: task } = workflowInfo();
    first ??= task;
    return isWrittenTo || task !== first;
  };
}

/** After a reset, children of the execution before may have written, also if this one has started none so far. */
function wasReset(): boolean {
  const { runId, originalExecutionRunId } = workflowInfo();
  return runId !== originalExecutionRunId;
}

/**
 * Describes the loss of a session whose host was terminated or whose state is missing. This agent keeps its own
 * session.
 */
function lossOf(error: unknown): string {
  const { type, message } = rootCause(error);
  // This type would speak of a delegation, and the message says everything.
  const prefix = type === undefined || type === 'Delegation.Closed' ? '' : `${type}: `;
  const cause = `${prefix}${message}`.slice(0, 200);
  return (
    `Session.HostLost: the session shared by the delegations was lost (${cause}). ` +
    'Everything they wrote to it (files, artifacts, notes, plan) is gone. Your session is as it was before the batch.'
  );
}

/** A host, which is a child of this execution, or of an earlier one that was reset. */
interface AttachedHost {
  readonly workflowId: string;
  /** Whether this execution has started it, from the session that its children start from. */
  readonly isFresh: boolean;
  final(): Promise<SnapshotPayload>;
  abandon(): Promise<void>;
}

/**
 * After a reset of this agent its host may already exist. An open host is reused. A closed host holds everything that
 * the completed delegations wrote, but the failed ones run again and need a host, so a successor starts from its final
 * state. After another reset the successor may exist as well.
 */
async function startOrAttach(agent: Agent, initial: SnapshotPayload): Promise<AttachedHost> {
  const identity = `session-${agent.progress.calls}`;
  const { findSession } = proxyActivities<AgentActivities>(
    activityOptions(shortActivityOptions, agent.settings, 'look for the session'),
  );
  let session = initial;
  for (let number = 1; ;) {
    const workflowId = `${agentWorkflowId()}/${identity}${number === 1 ? '' : `.${number}`}`;
    const started = await start(agent, workflowId, identity, session);
    if (started !== undefined)
      return { ...attached(agent, workflowId, identity, started), isFresh: session === initial };
    const found = await findSession({ workflowId, parent: agentWorkflowId(), identity });
    if (found.is === 'open') return attached(agent, workflowId, identity);
    // A lost host can be started again under the same id.
    if (found.is === 'lost') continue;
    session = found.final;
    number += 1;
  }
}

/** Starts a host; undefined when it already exists. */
async function start(
  agent: Agent,
  workflowId: string,
  identity: string,
  session: SnapshotPayload,
): Promise<ChildWorkflowHandle<SessionWorkflow> | undefined> {
  try {
    return await startChild<SessionWorkflow>(sessionWorkflowContract.name, {
      workflowId,
      workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
      parentClosePolicy: 'TERMINATE',
      cancellationType: 'WAIT_CANCELLATION_COMPLETED',
      staticSummary: 'shared session',
      staticDetails: `The session that the delegations of one turn of \`${agentWorkflowId()}\` read and write.`,
      memo: { identity } satisfies ChildMemo,
      priority: urgent,
      args: [{ ...storeLocation(agent), session, ...tuningOf(agent) }],
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    return undefined;
  }
}

/** `child` is undefined if an earlier execution of this agent started the host and the server no longer tracks it. */
function attached(
  agent: Agent,
  workflowId: string,
  identity: string,
  child?: ChildWorkflowHandle<SessionWorkflow>,
): AttachedHost {
  const { awaitSession } = proxyActivities<AgentActivities>(
    activityOptions(awaitChildOptions, agent.settings, 'wait for the session'),
  );
  return {
    workflowId,
    isFresh: false,
    async final() {
      const isClosing = await askToClose(workflowId);
      // The end of a host that has closed already may not reach an execution that began with a reset.
      if (isClosing && child !== undefined) return child.result();
      return awaitSession({ workflowId, parent: agentWorkflowId(), identity });
    },
    async abandon() {
      await CancellationScope.nonCancellable(() => askToClose(workflowId));
    },
  };
}

/**
 * Asks a host to close; false if it has closed already. Not sent as to a child: the server rejects such a signal if a
 * reset came between the start of the host and now, because the host's parent is the execution that was reset.
 */
async function askToClose(workflowId: string): Promise<boolean> {
  try {
    await getExternalWorkflowHandle(workflowId).signal(closeSessionSignal);
    return true;
  } catch (error) {
    if (isCancellation(error)) throw error;
    return false;
  }
}

function tuningOf({ settings }: Agent): Pick<SessionHostStart, 'tuning'> {
  const { requestsPerHost, parentCheckMs } = settings.tuning ?? {};
  const tuning = {
    ...(requestsPerHost === undefined ? {} : { requestsPerExecution: requestsPerHost }),
    ...(parentCheckMs === undefined ? {} : { parentCheckMs }),
  };
  return Object.keys(tuning).length === 0 ? {} : { tuning };
}

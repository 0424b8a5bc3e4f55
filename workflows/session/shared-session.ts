import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  CancellationScope,
  DeterminismViolationError,
  getExternalWorkflowHandle,
  proxyActivities,
  startChild,
} from '@temporalio/workflow';
import type { AgentActivities } from '../../activities/interface';
import { withSession } from '../../domain/agent';
import { type ChildMemo, sessionWorkflowContract, type SnapshotPayload } from '../../domain/session';
import { awaitChildOptions, shortActivityOptions } from '../../temporal-config/activity-options';
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
   * Closes the session and merges everything that the children wrote into this agent's. Returns a message for the model
   * if the session was lost.
   */
  close(): Promise<string | undefined>;
  /** Called when this agent ends before its batch does. Closes an adopted host, which would otherwise keep running. */
  abandon(): Promise<void>;
}

/**
 * Opens the session for a turn's batches. An agent that itself writes to a shared session passes that one to its
 * children.
 */
export async function openSharedSession(agent: Agent, session: Promise<SnapshotPayload>): Promise<SharedSessionHandle> {
  if (agent.shared !== null) return inherited(agent.shared.host);
  const { workflowId, final, abandon } = await startOrAttach(agent, await session);
  return {
    workflowId,
    abandon,
    async close() {
      try {
        const session = await receiveSession(agent.schema, storeLocation(agent), await final(), agent.settings);
        agent.progress = withSession(agent.progress, session);
        return undefined;
      } catch (error) {
        if (CancellationScope.current().consideredCancelled || error instanceof DeterminismViolationError) throw error;
        return lossOf(error);
      }
    },
  };
}

function inherited(workflowId: string): SharedSessionHandle {
  return { workflowId, close: () => Promise.resolve(undefined), abandon: () => Promise.resolve() };
}

/**
 * Describes the loss of a session whose host was terminated or whose state is missing. This agent keeps its own
 * session.
 */
function lossOf(error: unknown): string {
  const { type, message } = rootCause(error);
  const cause = `${type === undefined ? '' : `${type}: `}${message}`.slice(0, 200);
  return (
    `Session.HostLost: the session shared by the delegations was lost (${cause}). ` +
    'Everything they wrote to it (files, artifacts, notes, plan) is gone. Your session is as it was before the batch.'
  );
}

interface AttachedHost {
  readonly workflowId: string;
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
    if (started !== undefined) return started;
    const found = await findSession({ workflowId, parent: agentWorkflowId(), identity });
    if (found.is === 'open') return adopted(agent, workflowId, identity);
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
): Promise<AttachedHost | undefined> {
  try {
    const child = await startChild<SessionWorkflow>(sessionWorkflowContract.name, {
      workflowId,
      workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
      parentClosePolicy: 'TERMINATE',
      cancellationType: 'WAIT_CANCELLATION_COMPLETED',
      staticSummary: 'shared session',
      staticDetails: `The session that the delegations of one turn of \`${agentWorkflowId()}\` read and write.`,
      memo: { identity } satisfies ChildMemo,
      args: [{ ...storeLocation(agent), session, ...tuningOf(agent) }],
    });
    return {
      workflowId,
      async final() {
        // A closed host can't be signalled. Its result contains the reason.
        await child.signal(closeSessionSignal).catch(() => undefined);
        return child.result();
      },
      // The server terminates it with its parent.
      abandon: () => Promise.resolve(),
    };
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    return undefined;
  }
}

function adopted(agent: Agent, workflowId: string, identity: string): AttachedHost {
  return {
    workflowId,
    final: () => closeAdopted(agent, workflowId, identity),
    abandon: () => CancellationScope.nonCancellable(() => signalAdopted(workflowId)),
  };
}

/** Closes an adopted host. It is not a child of this execution, so an activity waits for its result. */
async function closeAdopted(agent: Agent, workflowId: string, identity: string): Promise<SnapshotPayload> {
  await signalAdopted(workflowId);
  const { awaitSession } = proxyActivities<AgentActivities>(
    activityOptions(awaitChildOptions, agent.settings, 'wait for the session'),
  );
  return awaitSession({ workflowId, parent: agentWorkflowId(), identity });
}

/** Asks a host to close. The signal fails if it has already closed, which needs no handling. */
async function signalAdopted(workflowId: string): Promise<void> {
  await getExternalWorkflowHandle(workflowId)
    .signal(closeSessionSignal)
    .catch(() => undefined);
}

function tuningOf({ settings }: Agent): { tuning?: { requestsPerExecution: number } } {
  const limit = settings.tuning?.requestsPerHost;
  return limit === undefined ? {} : { tuning: { requestsPerExecution: limit } };
}

import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { CancellationScope, getExternalWorkflowHandle, proxyActivities, startChild } from '@temporalio/workflow';
import type { AgentActivities } from '../activities/interface';
import type { SnapshotTransfer } from '../domain/dispatch/delegation';
import { withSession } from '../domain/agent/take-over';
import type { SessionSnapshot } from '../domain/session';
import { awaitingDelegation, preparing } from '../temporal-config/activity-options';
import { agentId, locationOf, withTuning, type Agent } from './agent';
import { rootCause } from './failures';
import { hydrated } from './hydrate';
import { closeSessionSignal } from './messages';
import type { SessionWorkflow } from './session';

/** The host of the session that a turn's batches share. */
export interface OpenHost {
  readonly workflowId: string;
  /** Takes the session back, with everything the children wrote; or says in words for the model that it is lost. */
  close(): Promise<string | undefined>;
  /** When this agent ends before its batch does: a host that is not its child would stay behind. */
  abandon(): Promise<void>;
}

/** An agent that shares a session itself hands on the same one; any other one opens its own to its children. */
export async function openHost(agent: Agent, session: Promise<SnapshotTransfer>): Promise<OpenHost> {
  if (agent.shared !== null) return inherited(agent.shared.host);
  const { workflowId, final, abandon } = await startOrAttach(agent, await session);
  return {
    workflowId,
    abandon,
    async close() {
      try {
        const session = hydrated(agent.schema, await loaded(agent, await final()));
        agent.progress = withSession(agent.progress, session);
        return undefined;
      } catch (error) {
        if (CancellationScope.current().consideredCancelled) throw error;
        return lossOf(error);
      }
    },
  };
}

function inherited(workflowId: string): OpenHost {
  return { workflowId, close: () => Promise.resolve(undefined), abandon: () => Promise.resolve() };
}

/** Somebody terminated the host, or its state can't be had: this agent still has the session that it started with. */
function lossOf(error: unknown): string {
  const { type, message } = rootCause(error);
  const cause = `${type === undefined ? '' : `${type}: `}${message}`.slice(0, 200);
  return (
    `Session.HostLost: the session that the delegations shared is lost (${cause}). ` +
    'What they wrote to it (files, artifacts, notes, plan) is gone; it is as it was before them.'
  );
}

interface AttachedHost {
  readonly workflowId: string;
  final(): Promise<SnapshotTransfer>;
  abandon(): Promise<void>;
}

/**
 * After a reset of this agent its host may be there already. One that is open is taken over. One that is closed has
 * everything that the finished delegations wrote, but the failed ones run again and need somebody to write to: a successor,
 * which starts where it ended. That one may be there already, too, after another reset.
 */
async function startOrAttach(agent: Agent, initial: SnapshotTransfer): Promise<AttachedHost> {
  const identity = `session-${agent.progress.calls}`;
  const { findSession } = proxyActivities<AgentActivities>(
    withTuning(preparing, agent.settings, 'look for the session'),
  );
  let session = initial;
  for (let place = 1; ;) {
    const workflowId = `${agentId()}/${identity}${place === 1 ? '' : `.${place}`}`;
    const started = await start(agent, workflowId, identity, session);
    if (started !== undefined) return started;
    const found = await findSession({ workflowId, parent: agentId(), identity });
    if (found.is === 'open') return adopted(agent, workflowId, identity);
    // A lost one can be started again under its own id.
    if (found.is === 'lost') continue;
    session = found.final;
    place += 1;
  }
}

/** Undefined when it is there already. */
async function start(
  agent: Agent,
  workflowId: string,
  identity: string,
  session: SnapshotTransfer,
): Promise<AttachedHost | undefined> {
  try {
    const child = await startChild<SessionWorkflow>('sessionWorkflow', {
      workflowId,
      workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
      parentClosePolicy: 'TERMINATE',
      cancellationType: 'WAIT_CANCELLATION_COMPLETED',
      workflowExecutionTimeout: '7 days',
      staticSummary: 'shared session',
      staticDetails: `The session that the delegations of one turn of \`${agentId()}\` read and write.`,
      memo: { identity },
      args: [{ ...locationOf(agent), session, ...tuningOf(agent) }],
    });
    return {
      workflowId,
      async final() {
        // One that is gone can't be signalled; its result says why.
        await child.signal(closeSessionSignal).catch(() => undefined);
        return child.result();
      },
      // Ends with its parent.
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

/** It is not ours to the server, so an activity waits for its end. */
async function closeAdopted(agent: Agent, workflowId: string, identity: string): Promise<SnapshotTransfer> {
  await signalAdopted(workflowId);
  const { awaitSession } = proxyActivities<AgentActivities>(
    withTuning(awaitingDelegation, agent.settings, 'wait for the session'),
  );
  return awaitSession({ workflowId, parent: agentId(), identity });
}

/** A host that has ended can't be signalled, and need not be. */
async function signalAdopted(workflowId: string): Promise<void> {
  await getExternalWorkflowHandle(workflowId)
    .signal(closeSessionSignal)
    .catch(() => undefined);
}

async function loaded(agent: Agent, transfer: SnapshotTransfer): Promise<SessionSnapshot> {
  if ('inline' in transfer) return transfer.inline;
  const { loadSnapshot } = proxyActivities<AgentActivities>(withTuning(preparing, agent.settings, 'load the session'));
  return loadSnapshot({ ...locationOf(agent), ref: transfer.ref });
}

function tuningOf({ settings }: Agent): { tuning?: { requestsPerExecution: number } } {
  const limit = settings.tuning?.requestsPerHost;
  return limit === undefined ? {} : { tuning: { requestsPerExecution: limit } };
}

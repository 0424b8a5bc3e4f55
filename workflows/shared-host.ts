import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { getExternalWorkflowHandle, proxyActivities, startChild } from '@temporalio/workflow';
import type { AgentActivities } from '../activities/interface';
import type { SnapshotTransfer } from '../domain/dispatch/delegation';
import { withSession } from '../domain/agent/take-over';
import type { SessionSnapshot } from '../domain/session';
import { awaitingDelegation, preparing } from '../temporal-config/activity-options';
import { agentId, locationOf, withTuning, type Agent } from './agent';
import { hydrated } from './hydrate';
import { closeSessionSignal } from './messages';
import type { SessionWorkflow } from './session';

/** The host of the session that a turn's batches share. */
export interface OpenHost {
  readonly workflowId: string;
  /** Takes the session back, with everything the children wrote. */
  close(): Promise<void>;
}

/** An agent that shares a session itself hands on the same one; any other one opens its own to its children. */
export async function openHost(agent: Agent, session: Promise<SnapshotTransfer>): Promise<OpenHost> {
  if (agent.shared !== null) return { workflowId: agent.shared.host, close: () => Promise.resolve() };
  const identity = `session-${agent.progress.calls}`;
  const workflowId = `${agentId()}/${identity}`;
  const final = await startOrAttach(agent, workflowId, identity, await session);
  return {
    workflowId,
    async close() {
      const transfer = await final();
      agent.progress = withSession(agent.progress, hydrated(agent.schema, await loaded(agent, transfer)));
    },
  };
}

type Final = () => Promise<SnapshotTransfer>;

async function startOrAttach(
  agent: Agent,
  workflowId: string,
  identity: string,
  session: SnapshotTransfer,
): Promise<Final> {
  try {
    const child = await startChild<SessionWorkflow>('sessionWorkflow', {
      workflowId,
      workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
      parentClosePolicy: 'TERMINATE',
      cancellationType: 'WAIT_CANCELLATION_COMPLETED',
      workflowExecutionTimeout: '7 days',
      staticSummary: 'shared session',
      memo: { identity },
      args: [{ ...locationOf(agent), session, ...tuningOf(agent) }],
    });
    return async () => {
      await child.signal(closeSessionSignal);
      return child.result();
    };
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    return () => closeAdopted(agent, workflowId, identity);
  }
}

/** After a reset of this agent the host is there already: running, or ended with the state that is wanted. */
async function closeAdopted(agent: Agent, workflowId: string, identity: string): Promise<SnapshotTransfer> {
  // A host that has ended can't be signalled, and need not be.
  await getExternalWorkflowHandle(workflowId)
    .signal(closeSessionSignal)
    .catch(() => undefined);
  const { awaitSession } = proxyActivities<AgentActivities>(
    withTuning(awaitingDelegation, agent.settings, 'wait for the session'),
  );
  return awaitSession({ workflowId, parent: agentId(), identity });
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

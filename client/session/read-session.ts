import type { Client } from '@temporalio/client';
import type { SessionView } from '../../domain/agent';
import { displayId } from '../../domain/kernel';
import type { Session } from '../../domain/session';
import { sessionQuery } from '../../workflows/messages';
import { BatonError } from '../client-errors';

/** The session of an agent. */
export interface AgentSession extends Session {
  /** Workflow id of the host that was asked, because the session is shared; null when the agent itself answered. */
  readonly host: string | null;
}

const patienceMs = 10_000;

/**
 * Reads the session of an agent. While it is shared, that is the live session of its host, with everything that the other
 * agents have written. Any worker can answer, even after the run has ended. Throws a `BatonError` of type
 * `Client.NoWorker` if none does.
 */
export async function readSession(client: Client, workflowId: string): Promise<AgentSession> {
  const own = await querySession(client, workflowId);
  if (own === undefined) {
    const message = `No worker answered for ${displayId(workflowId)}.`;
    throw new BatonError('Client.NoWorker', message, 'Start one with: baton worker');
  }
  const { host = null, ...session } = own;
  // A host that is gone, with its history, leaves what the agent itself knows.
  const shared = host === null ? undefined : await querySession(client, host);
  return shared === undefined ? { ...session, host: null } : { ...shared, host };
}

async function querySession(client: Client, workflowId: string): Promise<SessionView | undefined> {
  const handle = client.workflow.getHandle(workflowId);
  try {
    return await client.withDeadline(Date.now() + patienceMs, () => handle.query(sessionQuery));
  } catch {
    return undefined;
  }
}

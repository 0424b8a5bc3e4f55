import type { Client } from '@temporalio/client';
import { ConcurrencyLimit } from '../../domain/kernel/concurrency';
import { agentExecutions } from '../agent/executions';
import { decideIncident, incidentsOf } from './decide';
import { incidentsFor, type OpenIncident } from './incidents';

const maxConcurrent = 8;

/** The agents that match a query, divided by whether a retry applies to them. */
export interface RetryCandidates {
  /** Incidents that a retry can resolve. */
  readonly incidents: readonly OpenIncident[];
  /** Agents that have nothing to retry, or for which no worker answered, with the reason. */
  readonly left: readonly { readonly workflowId: string; readonly reason: string }[];
}

/** An incident after the attempt to retry it. */
export interface RetryResult extends OpenIncident {
  /** Null when the retry was accepted. */
  readonly error: string | null;
}

/** Finds every agent that matches a visibility query and has an incident that a retry can resolve. Changes nothing. */
export async function findRetryable(client: Client, query: string): Promise<RetryCandidates> {
  const agents = await agentExecutions(client, `(${query}) AND ExecutionStatus = 'Running'`);
  const limit = new ConcurrencyLimit(maxConcurrent);
  const incidents: OpenIncident[] = [];
  const left: { workflowId: string; reason: string }[] = [];
  await Promise.all(
    agents.map(({ workflowId }) =>
      limit.run(async () => {
        try {
          const found = incidentsFor(await incidentsOf(client, workflowId), 'retry');
          incidents.push(...found.map((incident) => ({ workflowId, incident })));
          if (found.length === 0) left.push({ workflowId, reason: 'it has no incident that a retry can resolve' });
        } catch (error) {
          left.push({ workflowId, reason: error instanceof Error ? error.message : String(error) });
        }
      }),
    ),
  );
  return { incidents: incidents.sort(inOrder), left: left.sort(inOrder) };
}

function inOrder(a: { readonly workflowId: string }, b: { readonly workflowId: string }): number {
  return a.workflowId < b.workflowId ? -1 : a.workflowId > b.workflowId ? 1 : 0;
}

/** Retries each incident independently: if one agent refuses, the others are still retried. */
export async function retryAll(
  client: Client,
  incidents: readonly OpenIncident[],
  note: { readonly by: string; readonly note?: string },
): Promise<readonly RetryResult[]> {
  const limit = new ConcurrencyLimit(maxConcurrent);
  return Promise.all(
    incidents.map((open) =>
      limit.run(async () => {
        try {
          await decideIncident(client, open.workflowId, { action: 'retry', incident: open.incident.id, ...note });
          return { ...open, error: null };
        } catch (error) {
          return { ...open, error: error instanceof Error ? error.message : String(error) };
        }
      }),
    ),
  );
}

import type { Client } from '@temporalio/client';
import { agentExecutions } from '../agents/executions';
import { Slots } from '../events/slots';
import { decide, incidentsOf } from './decide';
import { answerable, type OpenIncident } from './incidents';

const atOnce = 8;

export interface Batch {
  /** What a retry can answer. */
  readonly incidents: readonly OpenIncident[];
  /** Agents that were found but have nothing to retry, or that nobody answered for; and why. */
  readonly left: readonly { readonly workflowId: string; readonly reason: string }[];
}

export interface Retried extends OpenIncident {
  /** Null: it is under way. */
  readonly error: string | null;
}

/** Everything that a visibility query finds and that waits for a retry. Changes nothing. */
export async function findRetries(client: Client, query: string): Promise<Batch> {
  const agents = await agentExecutions(client, `(${query}) AND ExecutionStatus = 'Running'`);
  const slots = new Slots(atOnce);
  const incidents: OpenIncident[] = [];
  const left: { workflowId: string; reason: string }[] = [];
  await Promise.all(
    agents.map(({ workflowId }) =>
      slots.run(async () => {
        try {
          const found = answerable(await incidentsOf(client, workflowId), 'retry');
          incidents.push(...found.map((incident) => ({ workflowId, incident })));
          if (found.length === 0) left.push({ workflowId, reason: 'it waits for nothing that a retry answers' });
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

/** Each on its own: one that refuses doesn't keep the others waiting. */
export async function retryAll(
  client: Client,
  incidents: readonly OpenIncident[],
  words: { readonly by: string; readonly note?: string },
): Promise<readonly Retried[]> {
  const slots = new Slots(atOnce);
  return Promise.all(
    incidents.map((open) =>
      slots.run(async () => {
        try {
          await decide(client, open.workflowId, { action: 'retry', incident: open.incident.id, ...words });
          return { ...open, error: null };
        } catch (error) {
          return { ...open, error: error instanceof Error ? error.message : String(error) };
        }
      }),
    ),
  );
}

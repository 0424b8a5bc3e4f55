import type { Client } from '@temporalio/client';
import { ConcurrencyLimit, delegationPath, displayId, parentOf } from '../../domain/kernel';
import type { DecisionRecord } from '../../domain/operator';
import { agentExecutions, findAgent, parkedAgents } from '../agent/find-agent';
import { BatonError } from '../client-errors';
import {
  commandFor,
  decideIncident,
  type Decision,
  formatIncident,
  incidentsFor,
  incidentsOf,
  type OpenIncident,
} from './decide';

/** A decision and the agent that recorded it. */
export interface RecordedDecision {
  readonly workflowId: string;
  readonly record: DecisionRecord;
}

/**
 * Answers an incident of the agent that the user named. If it has none to which the action applies, answers the incident
 * of the only agent below it that has one. Throws a `BatonError` when no incident or several match.
 */
export async function decideForRun(
  client: Client,
  target: string,
  delegation: string | undefined,
  decision: Decision,
): Promise<RecordedDecision> {
  const { workflowId, isRunning } = await findAgent(client, target, delegation);
  const parent = parentOf(workflowId);
  // A closed delegation can't be queried; its parent holds the incident.
  if (!isRunning && parent !== undefined) {
    const about = delegationPath(workflowId).at(-1);
    return { workflowId: parent, record: await decideIncident(client, parent, decision, about) };
  }
  try {
    return { workflowId, record: await decideIncident(client, workflowId, decision) };
  } catch (error) {
    if (!(error instanceof BatonError && canBeBelow.includes(error.type))) throw error;
    const below = await onlyParkedBelow(client, workflowId, decision, error);
    return { workflowId: below, record: await decideIncident(client, below, decision) };
  }
}

/** Errors that say that the agent itself has nothing to decide so. */
const canBeBelow: readonly string[] = ['Client.NoIncident', 'Client.NotApplicable'];

async function onlyParkedBelow(
  client: Client,
  workflowId: string,
  decision: Decision,
  nothing: Error,
): Promise<string> {
  const parked = (await parkedAgents(client, workflowId)).filter((agent) => agent.workflowId !== workflowId);
  const [first] = parked;
  if (first === undefined) throw nothing;
  if (parked.length === 1) return first.workflowId;
  const open = await openIncidents(
    client,
    parked.slice(0, maxListed).map((agent) => agent.workflowId),
  );
  const matching = open.filter(({ incident }) => incidentsFor([incident], decision.action).length > 0);
  const [only] = matching;
  if (
    only !== undefined &&
    parked.length <= maxListed &&
    matching.every(({ workflowId: at }) => at === only.workflowId)
  )
    return only.workflowId;
  const lines = matching.flatMap(({ workflowId: at, incident }) => [
    `  ${displayId(at)}: ${formatIncident(incident)}`,
    `    ${commandFor(decision.action, at, incident.id)}`,
  ]);
  const more = parked.length > maxListed ? [`  … and ${parked.length - maxListed} more`] : [];
  throw new BatonError(
    'Client.Ambiguous',
    `${parked.length} agents below ${displayId(workflowId)} are waiting for an operator:\n${[...lines, ...more].join('\n')}`,
    'Run one of these commands, or retry several with: baton retry --query',
  );
}

const maxListed = 20;

/** Queries the open incidents of several agents. Agents for which no worker answers are omitted. */
async function openIncidents(client: Client, workflowIds: readonly string[]): Promise<readonly OpenIncident[]> {
  const found = await Promise.all(
    workflowIds.map(async (workflowId) => {
      const incidents = await incidentsOf(client, workflowId).catch(() => []);
      return incidents.map((incident) => ({ workflowId, incident }));
    }),
  );
  return found.flat();
}

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

import type { Client } from '@temporalio/client';
import type { DecisionRecord } from '../../domain/operator/incident';
import { delegationPath, parentOf, displayId } from '../../domain/kernel/agent-id';
import { parkedAgents } from '../agent/executions';
import { CliError, exitCodes } from '../../cli/context';
import { decideIncident, incidentsOf, NoMatchingIncidentError, type Decision } from './decide';
import { findAgent } from '../agent/find-agent';
import { incidentsFor, commandFor, formatIncident, type OpenIncident } from './incidents';

/** A decision and the agent that recorded it. */
export interface RecordedDecision {
  readonly workflowId: string;
  readonly record: DecisionRecord;
}

/**
 * Answers an incident of the agent that the user named. If it has none, answers the incident of the only agent below it
 * that has one. Throws a `CliError` when no incident or several match.
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
    if (!(error instanceof NoMatchingIncidentError)) throw error;
    const below = await onlyParkedBelow(client, workflowId, decision, error);
    return { workflowId: below, record: await decideIncident(client, below, decision) };
  }
}

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
  const lines = open
    .filter(({ incident }) => incidentsFor([incident], decision.action).length > 0)
    .flatMap(({ workflowId: at, incident }) => [
      `  ${displayId(at)}: ${formatIncident(incident)}`,
      `    ${commandFor(decision.action, at, incident.id)}`,
    ]);
  const more = parked.length > maxListed ? [`  … and ${parked.length - maxListed} more`] : [];
  throw new CliError(
    exitCodes.misused,
    `${parked.length} agents below ${displayId(workflowId)} are waiting for an operator:\n${[...lines, ...more].join('\n')}`,
    'Run one of these commands, or retry several with: baton retry --query',
  );
}

const maxListed = 20;

/** Queries the open incidents of several agents. Agents for which no worker answers are omitted. */
export async function openIncidents(client: Client, workflowIds: readonly string[]): Promise<readonly OpenIncident[]> {
  const found = await Promise.all(
    workflowIds.map(async (workflowId) => {
      const incidents = await incidentsOf(client, workflowId).catch(() => []);
      return incidents.map((incident) => ({ workflowId, incident }));
    }),
  );
  return found.flat();
}

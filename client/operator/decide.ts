import type { Client } from '@temporalio/client';
import { InvalidInputError } from '../../domain/kernel/errors';
import { operatorDecisionSchema, type OperatorDecision } from '../../domain/operator/contract';
import type { DecisionRecord, Incident } from '../../domain/operator/incident';
import { firstIssue } from '../../domain/kernel/schema-issues';
import { operatorDecisionUpdate } from '../../workflows/messages';
import { displayId } from '../../domain/kernel/agent-id';
import { CliError, exitCodes } from '../../cli/context';
import { queryAgentStatus } from '../agent/run-view';
import { incidentsFor, commandsFor, commandFor, formatIncident } from './incidents';
import { sendUpdate } from './send-update';

type WithoutIncident<Decision> = Decision extends unknown ? Omit<Decision, 'incident'> : never;
/**
 * An operator decision. `incident` may be omitted when the agent has exactly one open incident that the action
 * applies to.
 */
export type Decision = WithoutIncident<OperatorDecision> & { readonly incident?: string };

const patienceMs = 10_000;

/**
 * Answers an incident of one agent and returns the recorded decision. `about` restricts the choice to incidents about
 * that delegation of the agent. Throws a `CliError` if no incident or several match.
 */
export async function decideIncident(
  client: Client,
  workflowId: string,
  decision: Decision,
  about?: string,
): Promise<DecisionRecord> {
  const { action } = decision;
  const incident = decision.incident ?? onlyIncident(workflowId, action, await incidentsOf(client, workflowId), about);
  return sendUpdate(client, workflowId, operatorDecisionUpdate, checked({ ...decision, incident }));
}

/** Queries the open incidents of an agent. Throws a `CliError` if no worker answers. */
export async function incidentsOf(client: Client, workflowId: string): Promise<readonly Incident[]> {
  const snapshot = await queryAgentStatus(client, workflowId, patienceMs);
  if (snapshot !== undefined) return snapshot.incidents;
  throw new CliError(
    exitCodes.unavailable,
    `No worker answered for ${displayId(workflowId)}.`,
    'Start one with: baton worker',
  );
}

function onlyIncident(
  workflowId: string,
  action: OperatorDecision['action'],
  incidents: readonly Incident[],
  about: string | undefined,
): string {
  const matching = incidentsFor(incidents, action, about);
  const [only] = matching;
  if (only !== undefined && matching.length === 1) return only.id;
  const target = displayId(workflowId);
  if (matching.length > 1) {
    const list = matching.map((match) => `  ${formatIncident(match)}\n    ${commandFor(action, workflowId, match.id)}`);
    throw new CliError(
      exitCodes.misused,
      `${target} has ${matching.length} matching incidents:\n${list.join('\n')}`,
      'Run one of these commands.',
    );
  }
  const [other] = incidents;
  if (other === undefined) throw new NoMatchingIncidentError(target);
  const answers = commandsFor({ workflowId, incident: other }).join('\n  ');
  throw new CliError(
    exitCodes.misused,
    `"${action}" does not apply to any open incident of ${target}. Open: ${formatIncident(other)}`,
    `Answer it with one of:\n  ${answers}`,
  );
}

/** Thrown when an agent has no open incident. A separate class, because an agent below it may have one. */
export class NoMatchingIncidentError extends CliError {
  constructor(target: string) {
    super(exitCodes.failed, `${target} has no open incident.`, `Check its status with: baton why ${target}`);
  }
}

function checked(decision: unknown): OperatorDecision {
  const parsed = operatorDecisionSchema.safeParse(decision);
  if (parsed.success) return parsed.data;
  const { field, reason } = firstIssue(parsed.error, 'decision');
  throw new InvalidInputError(field, reason, 'Correct the decision and send it again.');
}

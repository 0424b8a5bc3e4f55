import type { Client } from '@temporalio/client';
import { checkValue, displayId, firstIssue, InvalidInputError } from '../../domain/kernel';
import {
  actionsFor,
  answerCommand,
  answerCommands,
  type DecisionRecord,
  type Incident,
  type OperatorAction,
  type OperatorDecision,
  operatorDecisionSchema,
} from '../../domain/operator';
import { operatorDecisionUpdate } from '../../workflows/messages';
import { queryAgentStatus } from '../agent/outcome';
import { BatonError, NoMatchingIncidentError } from '../client-errors';
import { oneLine } from '../format';
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
 * that delegation of the agent. Throws a `BatonError` if no incident or several match.
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

/** Queries the open incidents of an agent. Throws a `BatonError` if no worker answers. */
export async function incidentsOf(client: Client, workflowId: string): Promise<readonly Incident[]> {
  const snapshot = await queryAgentStatus(client, workflowId, patienceMs);
  if (snapshot !== undefined) return snapshot.incidents;
  throw new BatonError(
    'Client.NoWorker',
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
    const list = matching.map(
      (match) => `  ${formatIncident(match)}\n    ${answerCommand(action, workflowId, match.id)}`,
    );
    throw new BatonError(
      'Client.Ambiguous',
      `${target} has ${matching.length} matching incidents:\n${list.join('\n')}`,
      'Run one of these commands.',
    );
  }
  const [other] = incidents;
  if (other === undefined) throw new NoMatchingIncidentError(target);
  const answers = commandsFor({ workflowId, incident: other }).join('\n  ');
  throw new BatonError(
    'Client.NotApplicable',
    `"${action}" does not apply to any open incident of ${target}. Open: ${formatIncident(other)}`,
    `Answer it with one of:\n  ${answers}`,
  );
}

function checked(decision: unknown): OperatorDecision {
  const parsed = checkValue(operatorDecisionSchema, decision);
  if (parsed.success) return parsed.data;
  const { field, reason } = firstIssue(parsed.error, 'decision');
  throw new InvalidInputError(field, reason, 'Correct the decision and send it again.');
}

/** An incident, and the agent that has it. */
export interface OpenIncident {
  readonly workflowId: string;
  readonly incident: Incident;
}

/** Returns the incidents that an action applies to. With `delegation`, only those about that delegation. */
export function incidentsFor(
  incidents: readonly Incident[],
  action: OperatorAction,
  delegation?: string,
): readonly Incident[] {
  return incidents.filter(
    (incident) =>
      actionsFor(incident).includes(action) && (delegation === undefined || incident.delegation === delegation),
  );
}

/** Formats an incident as one line. */
export function formatIncident({ id, type, message, step, attempt, options = [] }: Incident): string {
  const tries = attempt > 1 ? `, attempt ${attempt}` : '';
  const choice = options.map((option, index) => `[${index + 1}] ${option}`).join(' ');
  const text = `${id} (${step}${tries}): ${oneLine(`${type}: ${message}`, 200)}`;
  return choice === '' ? text : `${text} ${oneLine(choice, 200)}`;
}

/** Returns the command that shows everything about an incident that one line can't; undefined if the line shows all. */
export function detailsCommand({ workflowId, incident }: OpenIncident): string | undefined {
  const { kind, id } = incident;
  return kind === 'approval' || kind === 'question'
    ? `baton show ${displayId(workflowId)} --incident ${id}`
    : undefined;
}

export { answerCommand as commandFor };

/** Returns the commands that answer an incident, ready to copy. */
export function commandsFor({ workflowId, incident }: OpenIncident): readonly string[] {
  return answerCommands(workflowId, incident);
}

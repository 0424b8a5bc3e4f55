import { actionsFor } from '../../domain/operator/check-decision';
import type { OperatorAction } from '../../domain/operator/contract';
import type { Incident } from '../../domain/operator/incident';
import { displayId } from '../../domain/kernel/agent-id';
import { oneLine } from '../words';

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
export function formatIncident({ id, type, message, step, attempt }: Incident): string {
  const tries = attempt > 1 ? `, attempt ${attempt}` : '';
  return `${id} (${step}${tries}): ${oneLine(`${type}: ${message}`, 200)}`;
}

/** Returns the commands that answer an incident, ready to copy. */
export function commandsFor({ workflowId, incident }: OpenIncident): readonly string[] {
  return actionsFor(incident).map((action) => commandFor(action, workflowId, incident.id));
}

/** Returns the command that answers an incident with this action. */
export function commandFor(action: OperatorAction, workflowId: string, incident: string): string {
  const more = action === 'amend' ? ' --instructions "…"' : action === 'skip' ? ' --result "…"' : '';
  return `baton ${action} ${displayId(workflowId)} --incident ${incident}${more}`;
}

import { actionsFor } from '../../domain/operator/check-decision';
import type { OperatorAction } from '../../domain/operator/decision';
import type { Incident } from '../../domain/operator/incident';
import { targetOf } from '../agents/agent-id';
import { oneLine } from '../agents/words';

/** An incident, and the agent that has it. */
export interface OpenIncident {
  readonly workflowId: string;
  readonly incident: Incident;
}

/** Those that an action can answer, and of these the ones about a delegation if one was named. */
export function answerable(
  incidents: readonly Incident[],
  action: OperatorAction,
  delegation?: string,
): readonly Incident[] {
  return incidents.filter(
    (incident) =>
      actionsFor(incident).includes(action) && (delegation === undefined || incident.delegation === delegation),
  );
}

export function incidentWords({ id, type, message, step, attempt }: Incident): string {
  const tries = attempt > 1 ? `, attempt ${attempt}` : '';
  return `${id} (${step}${tries}): ${oneLine(`${type}: ${message}`, 200)}`;
}

/** Lines that can be copied: how to answer it. */
export function answersTo({ workflowId, incident }: OpenIncident): readonly string[] {
  return actionsFor(incident).map((action) => commandFor(action, workflowId, incident.id));
}

export function commandFor(action: OperatorAction, workflowId: string, incident: string): string {
  const more = action === 'amend' ? ' --instructions "…"' : action === 'skip' ? ' --result "…"' : '';
  return `baton ${action} ${targetOf(workflowId)} --incident ${incident}${more}`;
}

import { displayId } from '../kernel';
import { actionsFor } from './check-decision';
import type { Incident, OperatorAction } from './contract';

/** Returns the commands that answer an incident, ready to copy. */
export function answerCommands(workflowId: string, incident: Omit<Incident, 'call'>): readonly string[] {
  return actionsFor(incident).map((action) => answerCommand(action, workflowId, incident.id));
}

/** Returns the command that answers an incident with this action. */
export function answerCommand(action: OperatorAction, workflowId: string, incident: string): string {
  const target = displayId(workflowId);
  if (action === 'approve' || action === 'deny') return `baton ${action} ${target} ${incident}`;
  if (action === 'answer') return `baton answer ${target} --incident ${incident} "…"`;
  const more = action === 'amend' ? ' --instructions "…"' : action === 'skip' ? ' --result "…"' : '';
  return `baton ${action} ${target} --incident ${incident}${more}`;
}

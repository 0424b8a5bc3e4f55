import { agentLabel } from '../../domain/kernel/agent-id';
import { html, type Markup } from './markup';
import type { ReportAgent } from '../../client/report/report-model';

const statuses = ['completed', 'failed', 'terminated', 'timed out', 'cancelled', 'running', 'needs operator', 'paused'];

/** Renders a status. */
export function badge(status: string): Markup {
  const className = statuses.includes(status) ? status.replaceAll(' ', '') : '';
  return html`<span class="badge ${className}">${status}</span>`;
}

/** Returns the HTML id of an agent's section. It contains only letters, digits, dots, dashes and underscores. */
export function anchor(workflowId: string): string {
  return `agent-${workflowId.replace(/[^a-zA-Z0-9.-]/g, '_')}`;
}

/** Renders a link to an agent's section. */
export function agentLink({ workflowId, skill, headline }: ReportAgent): Markup {
  const role = skill === null ? '' : ` (${skill})`;
  return html`<a href="#${anchor(workflowId)}" title="${headline}">${agentLabel(workflowId)}${role}</a>`;
}

/** Returns the status shown for an agent: a running agent with an open incident needs an operator. */
export function statusNow({ status, incidents }: ReportAgent): string {
  return status === 'running' && incidents.length > 0 ? 'needs operator' : status;
}

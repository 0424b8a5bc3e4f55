import { agentName } from '../agents/agent-id';
import { html, type Markup } from './markup';
import type { ReportAgent } from './model';

const statuses = ['completed', 'failed', 'terminated', 'timed out', 'cancelled', 'running', 'needs operator', 'paused'];

export function badge(status: string): Markup {
  const known = statuses.includes(status) ? status.replaceAll(' ', '') : '';
  return html`<span class="badge ${known}">${status}</span>`;
}

/** Where the section of an agent stands on the page. Ids hold letters, digits, dots, dashes and slashes only. */
export function anchor(workflowId: string): string {
  return `agent-${workflowId.replace(/[^a-zA-Z0-9.-]/g, '_')}`;
}

export function agentLink({ workflowId, skill, headline }: ReportAgent): Markup {
  const role = skill === null ? '' : ` (${skill})`;
  return html`<a href="#${anchor(workflowId)}" title="${headline}">${agentName(workflowId)}${role}</a>`;
}

export function statusNow({ status, incidents }: ReportAgent): string {
  return status === 'running' && incidents.length > 0 ? 'needs operator' : status;
}

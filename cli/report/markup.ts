import type { ReportAgent } from '../../client/report/report-model';
import { agentLabel, truncateText } from '../../domain/kernel';

/** HTML source: created by `html` below, or the page's own style. Model output becomes markup only after escaping. */
export class Markup {
  constructor(readonly text: string) {}
}

type Value = string | number | Markup | null | undefined | false | readonly Value[];

/** Renders a template. Values are escaped, except `Markup`. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Markup {
  return new Markup(parts.map((part, index) => part + toText(index < values.length ? values[index] : '')).join(''));
}

function toText(value: Value): string {
  if (value === null || value === undefined || value === false) return '';
  if (value instanceof Markup) return value.text;
  if (typeof value === 'object') return value.map(toText).join('');
  return escaped(String(value));
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Escapes text for content and quoted attributes. Characters that HTML forbids, and those that change the direction of
 * text, become a replacement character.
 */
export function escaped(text: string): string {
  return text
    .replace(/[&<>"']/g, (character) => entities[character] ?? '')
    .replace(/(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069\ufffe\uffff]|\p{Cs}/gu, '\ufffd');
}

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

/** Characters of a headline that links show. */
export const shownHeadline = 60;

/** Whether an agent ended badly. */
export function hasFailed({ status }: Pick<ReportAgent, 'status'>): boolean {
  return ['failed', 'terminated', 'timed out'].includes(status);
}

/** Renders a link to an agent's section. */
export function agentLink({ workflowId, skill, headline }: ReportAgent): Markup {
  const role = skill === null ? '' : ` (${skill})`;
  // What it was asked says more than its id.
  const label = headline === '' ? agentLabel(workflowId) : truncateText(headline, shownHeadline);
  return html`<a href="#${anchor(workflowId)}" title="${headline} ${agentLabel(workflowId)}">${label}${role}</a>`;
}

/** Returns the status shown for an agent: a running agent with an open incident needs an operator. */
export function statusNow({ status, incidents }: ReportAgent): string {
  return status === 'running' && incidents.length > 0 ? 'needs operator' : status;
}

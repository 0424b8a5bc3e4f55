import { formatBytes, formatCount } from '../../client/format';
import type { ReportAgent, ReportArtifact } from '../../client/report/report-model';
import { agentLabel } from '../../domain/kernel';
import { commandsFor } from '../../client/operator/decide';
import { formatDecided, ratio } from '../agent/show-rows';
import { agentLink, html, type Markup } from './markup';

/** Renders operator decisions, open incidents and handoffs. Empty when there are none. */
export function decisionSection(agents: readonly ReportAgent[]): Markup | '' {
  const lines = agents.flatMap((agent) => [
    ...agent.incidents.map(
      (incident) =>
        html`<li>
          ${agentLink(agent)} <b class="needsoperator">waiting</b> since ${incident.since}: ${incident.id}
          ${incident.type}: ${incident.message}
          <code>${commandsFor({ workflowId: agent.workflowId, incident }).join(' · ')}</code>
        </li>`,
    ),
    ...agent.decisions.map(
      (decision) =>
        html`<li>
          ${agentLink(agent)} <b>${decision.action}</b> ${decision.incident}${formatDecided(decision)}, by
          ${decision.by}, ${decision.at}${decision.note !== '' && html`: ${decision.note}`}
        </li>`,
    ),
    ...agent.handoffs.map(
      ({ number, artifact, discardedTokens, artifactTokens, at }) =>
        html`<li>
          ${agentLink(agent)} <b>handoff ${number}</b>, ${at}: ${formatCount(discardedTokens)} tokens replaced by
          ${formatCount(artifactTokens)} in ${artifact}${ratio(discardedTokens, artifactTokens)}
        </li>`,
    ),
  ]);
  return lines.length === 0
    ? ''
    : html`<h2 id="decisions">Decisions and handoffs</h2>
        <ul>
          ${lines}
        </ul>`;
}

/** Renders the artifacts with their text, if it is small enough. */
export function artifactSection(artifacts: readonly ReportArtifact[]): Markup {
  if (artifacts.length === 0)
    return html`<h2 id="artifacts">Artifacts</h2>
      <p class="dim">None.</p>`;
  return html`<h2 id="artifacts">Artifacts</h2>
    ${artifacts.map(artifact)}`;
}

function artifact({ name, bytes: size, mediaType, text, note }: ReportArtifact): Markup {
  const facts = html`<b>${name}</b>
    <span class="dim">${formatBytes(size)}, ${mediaType}${note !== '' && `, ${note}`}</span>`;
  return text === null
    ? html`<p>${facts}</p>`
    : html`<details>
        <summary>${facts}</summary>
        <pre>${text}</pre>
      </details>`;
}

/** Lists the tools that an agent called, with the number of calls. */
export function toolCounts({ tools }: ReportAgent): string {
  return Object.entries(tools)
    .map(([name, times]) => (times === 1 ? name : `${name} × ${times}`))
    .join(', ');
}

/** Returns the label of an agent; empty for null. */
export function nameOf(workflowId: string | null): string {
  return workflowId === null ? '' : agentLabel(workflowId);
}

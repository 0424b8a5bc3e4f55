import { totalTokens } from '../../domain/model/usage';
import { formatUsd } from '../../client/words';
import { formatCount, plural } from '../../client/format';
import { html, type Markup } from './markup';
import type { ReportAgent } from '../../client/report/report-model';
import { agentLink, badge, statusNow } from './parts';

/** Children shown at once. Further children are collapsed. */
const openChildren = 12;

/** Renders the agents as a tree of delegations. */
export function treeList(agents: readonly ReportAgent[]): Markup {
  const below = new Map<string | null, ReportAgent[]>();
  for (const agent of agents) below.set(agent.parent, [...(below.get(agent.parent) ?? []), agent]);
  const item = (agent: ReportAgent): Markup => html`<li>${line(agent)}${list(below.get(agent.workflowId) ?? [])}</li>`;
  const list = (children: readonly ReportAgent[]): Markup | '' => {
    if (children.length === 0) return '';
    const rest = children.slice(openChildren);
    const more =
      rest.length > 0 &&
      html`<li>
        <details>
          <summary>${rest.length} more</summary>
          <ul>
            ${rest.map(item)}
          </ul>
        </details>
      </li>`;
    return html`<ul>
      ${children.slice(0, openChildren).map(item)}${more}
    </ul>`;
  };
  return html`<ul class="tree">
    ${agents.slice(0, 1).map(item)}
  </ul>`;
}

function line(agent: ReportAgent): Markup {
  const { turns, usage, microUsd, headline, failure } = agent;
  const cost = microUsd === null ? '' : ` · ${formatUsd(microUsd)}`;
  return html`${agentLink(agent)} ${badge(statusNow(agent))}
    <span class="dim">${plural(turns, 'turn')} · ${formatCount(totalTokens(usage))} tokens${cost}</span>
    ${headline !== '' && html`<br />${headline}`}${failure !== null && html`<br /><span class="failed">${failure.type}: ${failure.message}</span>`}`;
}

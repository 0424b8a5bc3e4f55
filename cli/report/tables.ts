import { formatCount, formatTotalTokens, plural } from '../../client/format';
import { type ReportAgent, type Totals, totalsOf } from '../../client/report/report-model';
import { formatUsd } from '../../domain/model';
import { agentLink, badge, html, type Markup, statusNow } from './markup';

const labels = ['agent', 'turns', 'input', 'cached', 'cache write', 'output', 'injected', 'active', 'cost'] as const;

/** Renders each agent's own spending, without its delegations. The sums in the footer are those of the run. */
export function tokenTable(agents: readonly ReportAgent[]): Markup {
  const totals = totalsOf(agents);
  return html`<table>
      <thead>
        <tr>
          ${labels.map((label) => html`<th>${label}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${agents.map(row)}
      </tbody>
      <tfoot>
        ${cells('total', totals, null, null)}
      </tfoot>
    </table>
    <p class="dim">
      Cached: read from the provider's cache. Injected: added to the prompt when the agent was created. Active: read
      with tools since then. Injected and active are estimates.
    </p>`;
}

function row(agent: ReportAgent): Markup {
  return cells(agentLink(agent), agent, agent.injectedTokens, agent.activeTokens);
}

function cells(name: Markup | string, spent: Totals, injected: number | null, active: number | null): Markup {
  const { usage, turns, microUsd } = spent;
  const values = [turns, usage.input, usage.cacheRead, usage.cacheWrite, usage.output, injected, active].map((value) =>
    value === null ? '–' : formatCount(value),
  );
  const all = [name, ...values, microUsd === null ? '–' : formatUsd(microUsd)];
  return html`<tr>
    ${all.map((value, index) => html`<td data-label="${labels[index]}">${value}</td>`)}
  </tr> `;
}

/** Children shown at once. Further children are collapsed. */
const openChildren = 12;

/** Renders the agents as a tree of delegations. */
export function treeList(agents: readonly ReportAgent[]): Markup {
  const below = new Map<string | null, ReportAgent[]>();
  for (const agent of agents) {
    const siblings = below.get(agent.parent) ?? [];
    siblings.push(agent);
    below.set(agent.parent, siblings);
  }
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
    <span class="dim">${plural(turns, 'turn')} · ${formatTotalTokens(usage)} tokens${cost}</span>
    ${headline !== '' && html`<br />${headline}`}${failure !== null && html`<br /><span class="failed">${failure.type}: ${failure.message}</span>`}`;
}

import { formatCount, formatPercent, formatTotalTokens, plural } from '../../client/format';
import { cacheSharesOf, type ReportAgent, totalsOf } from '../../client/report/report-model';
import { costText, type Figures } from '../../domain/budget';
import { type CacheReadShares, cacheReadShare } from '../../domain/model';
import { agentLink, badge, hasFailed, html, type Markup, shownHeadline, statusNow } from './markup';

const labels = [
  'agent',
  'turns',
  'input',
  'cached',
  'cache write',
  'cache share',
  'output',
  'injected',
  'active',
  'cost',
] as const;

/** Renders each agent's own spending, without its delegations. The sums in the footer are those of the run. */
export function tokenTable(agents: readonly ReportAgent[]): Markup {
  const totals = totalsOf(agents);
  const shares = cacheSharesOf(agents);
  return html`<table>
      <thead>
        <tr>
          ${labels.map((label) => html`<th>${label}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${agents.map((agent) => row(agent, shares.get(agent.workflowId)))}
      </tbody>
      <tfoot>
        ${cells('total', totals, formatPercent(cacheReadShare(totals.usage)), { injected: null, active: null })}
      </tfoot>
    </table>
    <p class="dim">
      Cached: read from the provider's cache. Cache share: cached tokens of all input tokens, and in brackets the share
      of the agent with its delegations. Injected: added to the prompt when the agent was created. Active: read with
      tools since then. Injected and active are estimates.
    </p>`;
}

function row(agent: ReportAgent, shares: CacheReadShares | undefined): Markup {
  const { injectedTokens: injected, activeTokens: active } = agent;
  return cells(agentLink(agent), agent, formatShares(shares), { injected, active });
}

function formatShares({ own, withDelegations }: CacheReadShares = { own: null, withDelegations: null }): string {
  return own === withDelegations ? formatPercent(own) : `${formatPercent(own)} (${formatPercent(withDelegations)})`;
}

function cells(
  name: Markup | string,
  { usage, turns, microUsd }: Figures,
  share: string,
  { injected, active }: Readonly<Record<'injected' | 'active', number | null>>,
): Markup {
  const counted = (value: number | null): string => (value === null ? '–' : formatCount(value));
  const read = [turns, usage.input, usage.cacheRead, usage.cacheWrite].map(counted);
  const written = [usage.output, injected, active].map(counted);
  const all = [name, ...read, share, ...written, costText(microUsd)];
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
    // Whoever failed or needs somebody is never hidden.
    const isOpen = (agent: ReportAgent, index: number): boolean =>
      index < openChildren || hasFailed(agent) || statusNow(agent) === 'needs operator';
    const rest = children.filter((agent, index) => !isOpen(agent, index));
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
      ${children.filter(isOpen).map(item)}${more}
    </ul>`;
  };
  return html`<ul class="tree">
    ${agents.slice(0, 1).map(item)}
  </ul>`;
}

function line(agent: ReportAgent): Markup {
  const { turns, usage, microUsd, headline, failure } = agent;
  const cost = turns === 0 ? '' : ` · ${costText(microUsd)}`;
  return html`${agentLink(agent)} ${badge(statusNow(agent))}
    <span class="dim">${plural(turns, 'turn')} · ${formatTotalTokens(usage)} tokens${cost}</span>
    ${headline.length > shownHeadline && html`<br />${headline}`}${failure !== null && html`<br /><span class="failed">${failure.type}: ${failure.message}</span>`}`;
}

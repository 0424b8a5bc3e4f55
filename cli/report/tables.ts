import { formatUsd } from '../../client/words';
import { formatCount } from '../../client/format';
import { html, type Markup } from './markup';
import type { ReportAgent } from '../../client/report/report-model';
import { agentLink } from './parts';
import { totalsOf, type Totals } from '../../client/report/totals';

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

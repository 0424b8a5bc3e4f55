import { formatBytes, formatDuration } from '../../client/format';
import type { ReportAgent, ReportPrompt } from '../../client/report/report-model';
import { formatFallback } from '../../domain/model';
import { agentLink, anchor, badge, html, type Markup, statusNow } from './markup';
import { nameOf, toolCounts } from './result-sections';

const maxTurnsListed = 300;

/** Renders each agent with its prompt. The embedded prompt of its parent is collapsed. */
export function agentSections(agents: readonly ReportAgent[]): Markup {
  return html`${agents.map(section)}`;
}

function section(agent: ReportAgent): Markup {
  const { workflowId, headline, model, startedAt, endedAt, failure, parent } = agent;
  const took = endedAt === null ? 'still running' : `took ${formatDuration(endedAt - startedAt)}`;
  const tools = toolCounts(agent);
  return html`<section class="card" id="${anchor(workflowId)}">
    <h3>${agentLink(agent)} ${badge(statusNow(agent))}</h3>
    <p class="dim">
      ${workflowId}${parent !== null && `, delegated by ${nameOf(parent)}`}${model !== null && `, ${model}`}, ${took}
    </p>
    ${headline !== '' && html`<p>${headline}</p>`}
    ${agent.fallbacks.map((fallback) => html`<p class="dim">${formatFallback(fallback)}</p>`)}
    ${failure !== null && html`<p class="failed">${failure.type}: ${failure.message}</p>`}
    ${tools !== '' && html`<p class="dim">Tools: ${tools}</p>`} ${turns(agent)} ${prompt(agent.prompt, parent)}
  </section> `;
}

function turns({ segments, startedAt }: ReportAgent): Markup | '' {
  if (segments.length === 0) return '';
  const lines = segments.slice(0, maxTurnsListed).map(({ label, from, to, isError }) => {
    const when = `+${formatDuration(to - startedAt)}`;
    return html`<li class="${isError ? 'failed' : ''}">
      ${when} ${label} <span class="dim">(${formatDuration(to - from)})</span>
    </li>`;
  });
  const rest = segments.length - maxTurnsListed;
  return html`<details>
    <summary>Turns and tools (${segments.length})</summary>
    <ul>
      ${lines}${rest > 0 && html`<li class="dim">… and ${rest} more</li>`}
    </ul>
  </details>`;
}

function prompt(text: ReportPrompt | null, parentId: string | null): Markup {
  if (text === null) return html`<p class="dim">Prompt not available.</p>`;
  const { parent } = text;
  return html`<details>
    <summary>Prompt (${formatBytes(text.bytes)}, SHA-256 ${text.hash.slice(0, 12)}…)</summary>
    <pre>${text.before}</pre>
    ${
      parent !== null &&
      html`<details class="parent">
          <summary>Embedded prompt of the parent (${formatBytes(parent.bytes)})</summary>
          ${
            parent.text === null
              ? html`<p>Identical to the prompt of <a href="#${anchor(parentId ?? '')}">${nameOf(parentId)}</a>.</p>`
              : html`<pre>${parent.text}</pre>`
          }
        </details>
        <pre>${text.after}</pre>`
    }
  </details>`;
}

import { totalTokens } from '../../domain/model/usage';
import { formatUsd } from '../../client/words';
import { formatCount, formatDuration } from '../../client/format';
import { agentSections } from './agent-sections';
import { artifactSection, decisionSection } from './result-sections';
import { html, Markup } from './markup';
import type { ReportModel } from '../../client/report/report-model';
import { badge } from './parts';
import { style } from './style';
import { timeline } from './timeline';
import { tokenTable } from './tables';
import { totalsOf } from '../../client/report/totals';
import { treeList } from './tree-list';

/**
 * Renders the report as one self-contained HTML page. Its Content-Security-Policy forbids scripts and external
 * resources,
 * so that even text that was not escaped could do no harm.
 */
export function reportPage(model: ReportModel): string {
  const { runId, agents, gaps, answer } = model;
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta
          http-equiv="Content-Security-Policy"
          content="default-src 'none'; style-src 'unsafe-inline'; img-src data:"
        />
        <meta name="referrer" content="no-referrer" />
        <link rel="icon" href="data:," />
        <title>Run ${runId}</title>
        <style>
          ${new Markup(style)}
        </style>
      </head>
      <body>
        <main>
          ${head(model)} ${gaps.map((gap) => html`<p class="gap">${gap}</p>`)}
          ${
            answer !== null &&
            html`<h2 id="answer">Answer</h2>
              <pre class="card">${answer}</pre>`
          }
          <h2 id="tree">Agents</h2>
          ${treeList(agents)}
          <h2 id="timeline">Timeline</h2>
          ${timeline(model)}
          <h2 id="tokens">Tokens and cost</h2>
          ${tokenTable(agents)} ${decisionSection(agents)} ${artifactSection(model.artifacts)}
          <h2 id="agents">Prompts and turns</h2>
          ${agentSections(agents)}
        </main>
      </body>
    </html> `;
  return page.text;
}

function head({ runId, goal, status, agents, startedAt, endedAt, madeAt }: ReportModel): Markup {
  const { usage, microUsd, turns } = totalsOf(agents);
  const facts: readonly (readonly [string, string])[] = [
    ['agents', formatCount(agents.length)],
    ['turns', formatCount(turns)],
    ['tokens', formatCount(totalTokens(usage))],
    ['cost', microUsd === null ? 'unknown' : formatUsd(microUsd)],
    ['took', formatDuration(endedAt - startedAt)],
    ['started', new Date(startedAt).toISOString().slice(0, 19).replace('T', ' ')],
  ];
  return html`<h1>${goal === '' ? runId : goal}</h1>
    <p><span class="dim">Run ${runId}</span> ${badge(status)}</p>
    <ul class="facts">
      ${facts.map(([name, value]) => html`<li><span class="dim">${name}</span><b>${value}</b></li>`)}
    </ul>
    <p class="dim">
      Created ${new Date(madeAt).toISOString().slice(0, 19).replace('T', ' ')} UTC. All times are UTC.
    </p>`;
}

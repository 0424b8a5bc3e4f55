import { formatBytes, formatCount, formatDuration, formatPercent, formatTotalTokens } from '../../client/format';
import { type ReportModel, totalsOf } from '../../client/report/report-model';
import { costText } from '../../domain/budget';
import { truncateText } from '../../domain/kernel';
import { cacheReadShare } from '../../domain/model';
import { agentSections } from './agent-sections';
import { badge, html, Markup } from './markup';
import { artifactSection, decisionSection } from './result-sections';
import { tokenTable, treeList } from './tables';
import { timeline } from './timeline';

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
              ${foldedAnswer(answer)}`
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

function head({ runId, title, status, agents, startedAt, endedAt, madeAt }: ReportModel): Markup {
  const { usage, microUsd, turns } = totalsOf(agents);
  const facts: readonly (readonly [string, string])[] = [
    ['agents', formatCount(agents.length)],
    ['turns', formatCount(turns)],
    ['tokens', formatTotalTokens(usage)],
    ['cache read', formatPercent(cacheReadShare(usage))],
    ['cost', costText(microUsd)],
    ['took', formatDuration(endedAt - startedAt)],
    ['started', new Date(startedAt).toISOString().slice(0, 19).replace('T', ' ')],
  ];
  return html`<h1>${title === '' ? runId : title}</h1>
    <p><span class="dim">Run ${runId}</span> ${badge(status)}</p>
    <ul class="facts">
      ${facts.map(([name, value]) => html`<li><span class="dim">${name}</span><b>${value}</b></li>`)}
    </ul>
    <p class="dim">
      Created ${new Date(madeAt).toISOString().slice(0, 19).replace('T', ' ')} UTC. All times are UTC.
    </p>`;
}

/** Style sheet of the page. Colors follow the reader's device, and nothing is fetched. */
const style = `
:root { color-scheme: light dark; --ink: #1c2430; --dim: #5a6675; --paper: #ffffff; --card: #f5f7fa; --line: #d5dce5;
  --model: #2f6fde; --tool: #14876b; --bad: #c0322b; --warn: #96610a; --good: #1b7f46; --track: #e4e9f0; }
@media (prefers-color-scheme: dark) { :root { --ink: #e3e8ef; --dim: #9aa6b5; --paper: #12161c; --card: #1b2129;
  --line: #323b47; --model: #6ea2ff; --tool: #3fc39c; --bad: #ff8a80; --warn: #e8b04a; --good: #5fd08e; --track: #2a323d; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 72rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.35rem; margin: .5rem 0; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; border-bottom: 1px solid var(--line); padding-bottom: .25rem; }
h3 { font-size: 1rem; margin: 0; overflow-wrap: anywhere; }
a { color: var(--model); }
p { margin: .5rem 0; overflow-wrap: anywhere; }
.dim { color: var(--dim); }
.facts { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; margin: .5rem 0; padding: 0; list-style: none; }
.facts b { display: block; font-size: 1.05rem; }
.badge { display: inline-block; padding: 0 .5em; border-radius: 1em; border: 1px solid currentColor; font-size: .8rem; white-space: nowrap; }
.completed { color: var(--good); } .failed, .terminated, .timedout { color: var(--bad); }
.needsoperator, .paused, .cancelled { color: var(--warn); } .running { color: var(--model); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .75rem; margin: .75rem 0; }
.gap { border-left: .25rem solid var(--warn); padding-left: .75rem; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: .5rem 0; font: .85rem/1.45 ui-monospace, monospace; }
details { margin: .4rem 0; } summary { cursor: pointer; padding: .2rem 0; overflow-wrap: anywhere; }
details.parent { border-left: .25rem solid var(--line); padding-left: .75rem; }
.tree, .tree ul { list-style: none; margin: 0; padding-left: 0; } .tree ul { padding-left: .9rem; border-left: 1px solid var(--line); }
.tree li { margin: .25rem 0; overflow-wrap: anywhere; }
.row { display: grid; grid-template-columns: 11rem minmax(0, 1fr); gap: .5rem; align-items: center; margin: .2rem 0; }
.row > a { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.track { position: relative; height: 1.1rem; background: var(--track); border-radius: .2rem; overflow: hidden; }
.track i { position: absolute; top: 0; bottom: 0; min-width: 2px; }
.life { background: var(--line); } .model { background: var(--model); } .tool { background: var(--tool); } .error { background: var(--bad); }
.key i { display: inline-block; width: .8em; height: .8em; margin: 0 .3em 0 .9em; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .3rem .5rem; border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { text-align: left; overflow-wrap: anywhere; }
th { font-size: .8rem; color: var(--dim); font-weight: 600; }
tfoot td { font-weight: 600; }
@media (max-width: 44rem) {
  .row { grid-template-columns: minmax(0, 1fr); gap: 0; }
  thead { display: none; } table, tbody, tfoot, tr { display: block; }
  tr { border-bottom: 1px solid var(--line); padding: .4rem 0; }
  td { display: flex; justify-content: space-between; gap: 1rem; border: 0; padding: .1rem 0; }
  td::before { content: attr(data-label); color: var(--dim); } td:first-child::before { content: none; }
}
@media print { details::details-content { content-visibility: visible; height: auto; } }
`;

/** Characters of an answer that is shown at once. */
const shownAnswer = 2_000;

/** A long answer would hide everything that comes after it. */
function foldedAnswer(answer: string): Markup {
  if (answer.length <= shownAnswer) return html`<pre class="card">${answer}</pre>`;
  return html`<details class="card">
    <summary>${truncateText(answer, 200)} (${formatBytes(Buffer.byteLength(answer))})</summary>
    <pre>${answer}</pre>
  </details>`;
}

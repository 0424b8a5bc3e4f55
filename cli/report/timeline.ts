import { formatDuration } from '../../client/format';
import type { ReportAgent, ReportModel, TimelineSegment } from '../../client/report/report-model';
import { agentLink, hasFailed, html, type Markup } from './markup';

/** Rows shown at once. Further rows are collapsed. */
const openRows = 40;
/** Maximum marks per row. More would be too narrow to see. */
const maxMarks = 400;

/** Renders one row per agent over the time of the run: its lifetime, model calls and tool calls. */
export function timeline({ agents, startedAt, endedAt }: ReportModel): Markup {
  const scale = new Scale(startedAt, endedAt);
  // A failure is never hidden.
  const isOpen = (agent: ReportAgent, index: number): boolean => index < openRows || hasFailed(agent);
  const rest = agents.filter((agent, index) => !isOpen(agent, index)).map((agent) => row(agent, scale));
  return html`<p class="key dim">
      <i class="life"></i>running<i class="model"></i>model<i class="tool"></i>tool<i class="error"></i>error ·
      ${formatDuration(endedAt - startedAt)} from left to right
    </p>
    ${agents.filter(isOpen).map((agent) => row(agent, scale))}
    ${
      rest.length > 0 &&
      html`<details>
        <summary>${rest.length} more</summary>
        ${rest}
      </details>`
    }`;
}

function row(agent: ReportAgent, scale: Scale): Markup {
  const { startedAt, endedAt, segments } = agent;
  const life = { from: startedAt, to: endedAt ?? scale.end };
  const end = { from: Math.max(life.from, life.to - (scale.end - scale.start) / 100), to: life.to };
  return html`<div class="row">
    ${agentLink(agent)}
    <div class="track">
      ${mark('life', life, scale, formatDuration(life.to - life.from))}${segments.slice(0, maxMarks).map((segment) => segmentMark(segment, scale))}${hasFailed(agent) && mark('error', end, scale, agent.failure?.type ?? agent.status)}
    </div>
  </div> `;
}

function segmentMark(segment: TimelineSegment, scale: Scale): Markup {
  const title = `${segment.label}, ${formatDuration(segment.to - segment.from)}`;
  return mark(segment.isError ? 'error' : segment.kind, segment, scale, title);
}

function mark(kind: string, { from, to }: { from: number; to: number }, scale: Scale, title: string): Markup {
  return html`<i
    class="${kind}"
    style="left:${scale.percent(from)}%;width:${scale.percent(to - from + scale.start)}%"
    title="${title}"
  ></i>`;
}

class Scale {
  constructor(
    readonly start: number,
    readonly end: number,
  ) {}

  percent(at: number): string {
    const length = Math.max(1, this.end - this.start);
    return Math.min(100, Math.max(0, ((at - this.start) / length) * 100)).toFixed(2);
  }
}

import type { VNode } from 'preact';
import type { AgentRow } from '../../client/view/run-view';
import { formatDuration, formatFullTime } from '../format';
import { now } from '../state/clock';
import { shownRun } from '../state/session';
import { type Axis, ticksOf } from './axis';
import { barsOf } from './bars';
import { axis, foldsIdle } from './timeline-state';
import './timeline.css';

/** Bars of one agent: what it did when. Screen readers get the same from the row's name and the table. */
export function Bars({ row }: { row: AgentRow }): VNode | null {
  const scale = axis.value;
  if (scale === undefined || scale.width <= 0) return null;
  const isOpen = row.segments.some(({ to }) => to === null);
  const until = row.endedAt ?? (isOpen ? now.value : now.peek());
  const failed = row.state === 'failed' && row.endedAt !== null ? scale.x(row.endedAt) : null;
  return (
    <svg class="bars" aria-hidden="true" width={scale.width} height="28">
      {(row.replaced === undefined ? [] : barsOf(row.replaced, scale, until)).map(({ x, width }) => (
        <rect key={x} class="bar replaced" x={x} y={22} width={width} height={3} />
      ))}
      {barsOf(row.segments, scale, until).map(({ kind, x, width, isError }) => {
        const height = kind === 'tool' ? 8 : 14;
        const className = `bar ${kind} ${isError ? 'error' : ''}`;
        return <rect key={`${kind}${x}`} class={className} x={x} y={14 - height / 2} width={width} height={height} />;
      })}
      {failed === null ? null : <rect class="bar mark" x={Math.max(0, failed - 1)} y={4} width={3} height={20} />}
    </svg>
  );
}

/** Pattern of waiting. It is referred to by all bars. */
export function BarPattern(): VNode {
  return (
    <svg class="visually-hidden" aria-hidden="true" width="0" height="0">
      <defs>
        <pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect class="hatch" width="2.5" height="6" />
        </pattern>
      </defs>
    </svg>
  );
}

/** Times above the bars, and where idle time was folded. */
export function AxisHead(): VNode | null {
  const [scale, run] = [axis.value, shownRun.value?.run.value];
  if (scale === undefined || run === undefined || scale.width <= 0) return null;
  const ticks = ticksOf(scale, run.startedAt).filter(({ x }) => x < scale.width - 40 && !isInFold(scale, x));
  return (
    <div class="axis" aria-hidden="true">
      {ticks.map(({ time, x }) => (
        <span key={time} class="tick" style={{ left: `${x}px` }} title={formatFullTime(time)}>
          {time === run.startedAt ? '0 s' : formatDuration(time - run.startedAt)}
        </span>
      ))}
      <Folds scale={scale} />
    </div>
  );
}

/** A label would cover the length of the folded time. */
function isInFold({ parts }: Axis, x: number): boolean {
  return parts.some((part) => part.isFolded && x > part.x - 56 && x < part.x + part.width + 4);
}

function Folds({ scale }: { scale: Axis }): VNode {
  return (
    <>
      {scale.parts
        .filter(({ isFolded }) => isFolded)
        .map(({ from, to, x, width }) => (
          <button
            key={from}
            type="button"
            class="idle"
            tabIndex={-1}
            style={{ left: `${x}px`, width: `${width}px` }}
            title={`${formatDuration(to - from)} in which nothing worked: open with z`}
            onClick={() => {
              foldsIdle.value = false;
            }}
          >
            {formatDuration(to - from)
              .split(' ')
              .slice(0, 2)
              .join(' ')}
          </button>
        ))}
    </>
  );
}

/** Lines behind the rows: ticks and folded time. */
export function AxisLines(): VNode | null {
  const [scale, run] = [axis.value, shownRun.value?.run.value];
  if (scale === undefined || run === undefined || scale.width <= 0) return null;
  return (
    <div class="axis-place axis-lines" role="presentation" aria-hidden="true">
      {ticksOf(scale, run.startedAt).map(({ time, x }) => (
        <span key={time} style={{ left: `${x}px` }} />
      ))}
      {scale.parts
        .filter(({ isFolded }) => isFolded)
        .map(({ from, x, width }) => (
          <span key={`fold ${from}`} class="idle-lane" style={{ left: `${x}px`, width: `${width}px` }} />
        ))}
    </div>
  );
}

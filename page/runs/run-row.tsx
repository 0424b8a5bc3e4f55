import type { VNode } from 'preact';
import type { RunRow } from '../../client/view/run-view';
import { StateBadge, StateBar, StateCounts } from '../components/state-badge';
import { Time, Took } from '../components/time';
import { cutText, describeUsage, formatAge, formatCount, formatTokens, formatUsd, totalTokens } from '../format';
import { formatAddress } from '../state/address';
import { now } from '../state/clock';
import { totalOf } from '../state/counts';
import { followLink } from '../state/place';

/** One run: two lines. The link covers the whole row. */
export function RunRowView({ row }: { row: RunRow }): VNode {
  const { runId, state, agents, figures, startedAt } = row;
  return (
    <div class="run-row" role="row" data-run={runId}>
      <span role="cell" class="run-state">
        <StateBadge state={state} />
      </span>
      <Goal row={row} />
      <Agents agents={agents} />
      <span role="cell" class="run-tokens" title={figures === null ? '' : describeUsage(figures.usage)}>
        {formatTokens(figures === null ? null : totalTokens(figures.usage))}
      </span>
      <span role="cell" class="run-cost">
        {figures === null ? '–' : formatUsd(figures.microUsd)}
      </span>
      <span role="cell" class="run-started">
        <Time at={startedAt} as="day" />
      </span>
      <span role="cell" class="run-took">
        <Took of={row} />
      </span>
    </div>
  );
}

/** What the run is about; below it, its id, its model and who waits. */
function Goal({ row: { runId, goal, title, model, detail, waiting } }: { row: RunRow }): VNode {
  return (
    <span role="cell" class="run-goal">
      <a
        class="cut"
        href={formatAddress({ page: 'run', run: runId, path: '', params: {} })}
        onClick={followLink}
        title={cutText(goal, 1_000)}
      >
        {title}
      </a>
      <span class="run-sub cut">
        <span class="mono">{runId}</span>
        {model === null ? '' : ` · ${model}`}
        {detail === '' ? '' : ` · ${detail}`}
        {waiting === null ? null : <b class="run-waits"> · waits {formatAge(now.value - waiting.since)}</b>}
      </span>
    </span>
  );
}

function Agents({ agents }: Pick<RunRow, 'agents'>): VNode {
  return (
    <span role="cell" class="run-agents">
      {agents === null ? (
        '–'
      ) : (
        <>
          <span class="run-agents-line">
            <span>{formatCount(totalOf(agents))}</span>
            <StateBar counts={agents} />
          </span>
          <StateCounts counts={agents} />
        </>
      )}
    </span>
  );
}

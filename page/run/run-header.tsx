import type { VNode } from 'preact';
import { Icon } from '../components/icon';
import { StateBadge } from '../components/state-badge';
import { Took } from '../components/time';
import { describeUsage, formatTokens, formatUsd, totalTokens } from '../format';
import { isNarrow } from '../shell/screen';
import { formatAddress } from '../state/address';
import { agentHref, followLink, showsDetail } from '../state/place';
import type { RunState } from '../state/run-state';

/** What the run is about, how it is, what it cost, and the way back. */
export function RunHeader({ run }: { run: RunState }): VNode {
  const row = run.run.value;
  const { microUsd } = run.budget.value;
  const inDetail = isNarrow.value && showsDetail();
  const up = inDetail ? agentHref(row.runId, '') : formatAddress({ page: 'runs', status: null, q: '' });
  return (
    <div class="run-header">
      <a class="up" href={up} onClick={followLink} aria-label={inDetail ? 'Agents of this run' : 'All runs'}>
        <Icon name="back" />
        <span class="wide-only">Runs</span>
      </a>
      <h1 class="cut" tabIndex={-1} title={`${row.goal}\n${row.runId}`}>
        {row.title}
      </h1>
      <StateBadge state={row.state} detail={row.detail} />
      {row.figures === null ? null : (
        <span class="figures">
          <span title={describeUsage(row.figures.usage)}>{formatTokens(totalTokens(row.figures.usage))} tokens</span>
          <span title="with all delegations">
            {formatUsd(row.figures.microUsd)}
            {microUsd.limit === null ? '' : ` of ${formatUsd(microUsd.limit)}`}
          </span>
        </span>
      )}
      <Took of={row} />
    </div>
  );
}

import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { DetailPane } from '../detail/detail-pane';
import { Divider } from '../shell/divider';
import { Notice, Problem, Skeleton } from '../shell/problem';
import { isNarrow } from '../shell/screen';
import { formatAddress } from '../state/address';
import { agentHref, followLink, place, showsDetail } from '../state/place';
import { currentRun, loadRun, selection, shownRun } from '../state/session';
import { titleOf } from '../tree/agent-name';
import { TreePane } from '../tree/tree-pane';
import { BatchTable } from './batch-table';
import { RunHeader } from './run-header';
import { SearchPane } from './search-pane';
import './run.css';

/** A run: its agents left, the selected one right. */
export function RunPage(): VNode {
  const run = currentRun.value;
  if (run.is === 'loading') return <Skeleton />;
  if (run.is === 'failed') return <RunProblem error={run.error} />;
  const [tree, detail] = isNarrow.value ? [!showsDetail(), showsDetail()] : [true, true];
  return (
    <div class="run-page">
      <RunHeader run={run.value} />
      {run.value.gaps.value.map((gap) => (
        <Notice key={gap} kind="warning">
          {gap}
        </Notice>
      ))}
      <Unresolved />
      <div class="panes">
        {tree ? <TreePane /> : null}
        {tree && detail ? <Divider /> : null}
        {detail ? <Side /> : null}
      </div>
    </div>
  );
}

/** The selected agent, the table of a batch, or the hits of a search. */
function Side(): VNode {
  const at = place.value;
  const params = at.page === 'run' ? at.params : {};
  const content =
    params.find !== undefined ? (
      <SearchPane key={params.find} text={params.find} />
    ) : params.table !== undefined ? (
      <BatchTable key={`${params.table} ${params.state ?? ''}`} table={params.table} state={params.state} />
    ) : (
      <DetailPane />
    );
  return (
    <aside id="detail" class="side" aria-label="Details">
      {content}
    </aside>
  );
}

/** Says that the address names nobody, or more than one. What is nearest to it is shown below. */
function Unresolved(): VNode | null {
  const [found, run] = [selection.value, shownRun.value];
  if (found === undefined || run === undefined || found.kind === 'found') return null;
  const nearest = found.nearest === '' ? 'the root' : `agent ${found.nearest}`;
  if (found.kind === 'missing')
    return (
      <Notice kind="warning">
        There is nobody called <b>{found.unknown}</b> below {nearest}. Shown is the nearest agent above it.
      </Notice>
    );
  return (
    <Notice kind="warning">
      More than one agent begins with these letters:{' '}
      {found.candidates.slice(0, 10).map((path) => (
        <a key={path} class="candidate" href={agentHref(run.runId, path)} onClick={followLink}>
          {titleOf(run.agent(path)?.value ?? { role: null, headline: path })}
        </a>
      ))}
    </Notice>
  );
}

function RunProblem({ error }: { error: Error }): VNode {
  const runs = formatAddress({ page: 'runs', status: null, q: '' });
  useEffect(() => document.querySelector<HTMLElement>('.run-problem h1')?.focus(), []);
  return (
    <div class="run-problem">
      <h1 tabIndex={-1}>This run can’t be shown</h1>
      <Problem error={error} onRetry={() => void loadRun()} />
      <p>
        <a href={runs} onClick={followLink}>
          All runs
        </a>
      </p>
    </div>
  );
}

import type { JSX, RefObject } from 'preact';
import type { AgentRow, ViewFailure } from '../../client/view/run-view';
import { CommandLine, Copy } from '../components/copy';
import { StateBadge } from '../components/state-badge';
import { Took } from '../components/time';
import { describeUsage, formatCount, formatTokens, formatUsd, shortId, totalTokens } from '../format';
import { agentHref, followLink } from '../state/place';
import type { RunState } from '../state/run-state';
import { withoutInvisible } from '../text/invisible';
import { VisibleText } from '../text/visible-text';
import { Controls } from './controls';

interface AgentHeaderProps {
  readonly run: RunState;
  readonly agent: AgentRow;
  readonly heading: RefObject<HTMLHeadingElement | null>;
}

/** Who it is, where it belongs, what it does and what it has used. */
export function AgentHeader({ run, agent, heading }: AgentHeaderProps): JSX.Element {
  return (
    <header class="agent-header">
      <Breadcrumb run={run} agent={agent} />
      <h2 ref={heading} tabIndex={-1} title={withoutInvisible(agent.headline).slice(0, 1_000)}>
        {agent.role !== null && (
          <span class="agent-role">
            <VisibleText text={agent.role} /> ·{' '}
          </span>
        )}
        <VisibleText text={agent.headline} />
      </h2>
      <div class="agent-facts">
        <StateBadge state={agent.state} detail={agent.detail} />
        {agent.turn > 0 && (
          <span>
            turn {formatCount(agent.turn)}
            {agent.maxTurns !== null && ` of ${formatCount(agent.maxTurns)}`}
          </span>
        )}
        <Took of={agent} />
        <span title={describeUsage(agent.own.usage)}>{formatTokens(totalTokens(agent.own.usage))} tokens</span>
        <Cost agent={agent} />
        {agent.model !== null && <span class="muted">{agent.model}</span>}
        <Controls run={run} agent={agent} />
      </div>
      {agent.failure !== null && agent.state !== 'needs you' && (
        <p class="agent-failure">
          <strong>{agent.failure.type}</strong> <VisibleText text={agent.failure.message} />
        </p>
      )}
      {agent.failure !== null && agent.state === 'failed' && <Remedy failure={agent.failure} />}
    </header>
  );
}

/** What to do about a failure, and the command that continues the agent. */
function Remedy({ failure: { remedy, command } }: { readonly failure: ViewFailure }): JSX.Element {
  return (
    <p>
      {remedy !== undefined && `What to do: ${remedy} `}
      {command !== undefined && <CommandLine line={command} />}
    </p>
  );
}

function Cost({ agent }: { readonly agent: AgentRow }): JSX.Element {
  const hasMore = agent.withDelegations.turns > agent.own.turns;
  return (
    <span title={hasMore ? 'own cost, and with its delegations' : 'cost'}>
      {formatUsd(agent.own.microUsd)}
      {hasMore && <span class="muted"> ({formatUsd(agent.withDelegations.microUsd)} with delegations)</span>}
    </span>
  );
}

/** The agents above it, as links. */
function Breadcrumb({ run, agent }: { readonly run: RunState; readonly agent: AgentRow }): JSX.Element {
  const ids = agent.path === '' ? [] : agent.path.split('/');
  const above = ids.slice(0, -1).map((_, index) => ids.slice(0, index + 1).join('/'));
  return (
    <nav class="breadcrumb" aria-label="Agents above">
      {ids.length === 0 ? <span>root</span> : <Above run={run.runId} path="" />}
      {above.map((path) => (
        <Above key={path} run={run.runId} path={path} />
      ))}
      {ids.length > 0 && <Here agent={agent} />}
      <Copy
        text={ids.length === 0 ? run.runId : `${run.runId}/${ids.at(-1) ?? ''}`}
        label="Copy the name for the command line"
      />
    </nav>
  );
}

function Above({ run, path }: { readonly run: string; readonly path: string }): JSX.Element {
  const id = path.slice(path.lastIndexOf('/') + 1);
  return (
    <>
      <a href={agentHref(run, path)} onClick={followLink} class={path === '' ? '' : 'mono'} title={id}>
        {path === '' ? 'root' : shortId(id)}
      </a>
      <span aria-hidden="true">›</span>
    </>
  );
}

function Here({ agent: { path, batch } }: { readonly agent: AgentRow }): JSX.Element {
  const id = path.slice(path.lastIndexOf('/') + 1);
  return (
    <>
      {batch !== null && batch.size > 1 && (
        <span>
          batch, turn {batch.turn} › #{batch.index + 1} of {formatCount(batch.size)} ·
        </span>
      )}
      <span class="mono" title={id}>
        {shortId(id)}
      </span>
    </>
  );
}

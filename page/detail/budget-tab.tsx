import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { AgentRow } from '../../client/view/run-view';
import { agentPath } from '../api';
import { Button } from '../components/button';
import { Time } from '../components/time';
import { formatDuration, formatTokens, formatUsd } from '../format';
import type { AgentBudgetView } from '../protocol';
import { now } from '../state/clock';
import { agentHref, followLink } from '../state/place';
import type { RunState } from '../state/run-state';
import { withoutInvisible } from '../text/invisible';
import { type BudgetBar, budgetBars } from './budget-shares';
import { Loaded, useLoaded } from './loaded';

/** What was used and is left, how full the context window is, and which agents cost most. */
export function BudgetTab({ run, agent }: { readonly run: RunState; readonly agent: AgentRow }): JSX.Element {
  const { data, again } = useLoaded<AgentBudgetView>(agentPath(run.runId, 'budget', { agent: agent.path }));
  useEffect(() => again(), [agent.turn, agent.withDelegations.turns, agent.state]);
  return (
    <Loaded data={data} again={again}>
      {(budget) => (
        <div class="budget">
          <section aria-label="Budget">
            <h3>Budget</h3>
            {budgetBars(budget).map((bar) => (
              <Bar key={bar.name} bar={bar} />
            ))}
            {budget.deadline !== null && <Deadline at={budget.deadline} />}
          </section>
          {budget.window !== null && <ContextWindow budget={budget} window={budget.window} />}
          <Where run={run} agent={agent} />
        </div>
      )}
    </Loaded>
  );
}

function Bar({ bar }: { readonly bar: BudgetBar }): JSX.Element {
  return (
    <div class="budget-row">
      <span class="budget-name">{bar.name}</span>
      <span class="budget-words">{bar.words}</span>
      <span class="budget-bar" role="img" aria-label={bar.parts.map(({ words }) => words).join(', ')}>
        {bar.parts.map(({ kind, share, words }) => (
          <span key={kind} class={`budget-${kind}`} style={{ flexGrow: share }} title={words} />
        ))}
      </span>
      <span class="budget-legend">
        {bar.parts.map(({ kind, words }) => (
          <span key={kind}>
            <i class={`budget-${kind}`} aria-hidden="true" />
            {words}
          </span>
        ))}
      </span>
    </div>
  );
}

function Deadline({ at }: { readonly at: number }): JSX.Element {
  const left = at - now.value;
  return (
    <p class="budget-deadline">
      Deadline <Time at={at} as="day" />, {left > 0 ? `in ${formatDuration(left)}` : 'which has passed'}
    </p>
  );
}

interface ContextWindowProps {
  readonly budget: AgentBudgetView;
  readonly window: NonNullable<AgentBudgetView['window']>;
}

function ContextWindow({ budget, window }: ContextWindowProps): JSX.Element {
  const { occupied, size, handoffAt } = window;
  const percent = (part: number): string => `${Math.round((part / size) * 100)} %`;
  const share = (part: number): string => `${(part / size) * 100}%`;
  return (
    <section aria-label="Context window">
      <h3>Context window</h3>
      <p>
        {formatTokens(occupied)} of {formatTokens(size)} tokens ({percent(occupied)})
        {handoffAt !== null && <span class="muted"> · hands over at {percent(handoffAt)}</span>}
      </p>
      <div class="window-bar" role="img" aria-label={`${percent(occupied)} of the context window is filled`}>
        <span class="budget-own" style={{ width: share(Math.min(occupied, size)) }} />
        {handoffAt !== null && <span class="window-handoff" style={{ left: share(handoffAt) }} />}
      </div>
      {(budget.injectedTokens !== null || budget.readTokens !== null) && (
        <p class="muted">
          {budget.injectedTokens !== null && `injected ${formatTokens(budget.injectedTokens)}`}
          {budget.injectedTokens !== null && budget.readTokens !== null && ' · '}
          {budget.readTokens !== null && `read ${formatTokens(budget.readTokens)}`}
        </p>
      )}
    </section>
  );
}

/** Most agents that are listed by cost. */
const shownAgents = 12;

/** Which of the agents below cost most. */
function Where({ run, agent }: { readonly run: RunState; readonly agent: AgentRow }): JSX.Element | null {
  const isOwn = useSignal(false);
  if (run.changes.value < 0) return null;
  const figuresOf = (row: AgentRow): number => (isOwn.value ? row.own : row.withDelegations).microUsd ?? 0;
  const rows = [agent.path, ...run.childrenOf(agent.path)]
    .flatMap((path) => run.agent(path)?.peek() ?? [])
    .filter((row) => isOwn.value || row.path !== agent.path)
    .sort((a, b) => figuresOf(b) - figuresOf(a))
    .slice(0, shownAgents);
  const most = Math.max(...rows.map(figuresOf), 1);
  if (run.childrenOf(agent.path).length === 0) return null;
  return (
    <section aria-label="Where it went">
      <h3>
        Where{' '}
        <span class="column-choice" role="group" aria-label="Sort by">
          <Button pressed={!isOwn.value} onClick={() => (isOwn.value = false)}>
            with delegations
          </Button>
          <Button pressed={isOwn.value} onClick={() => (isOwn.value = true)}>
            own
          </Button>
        </span>
      </h3>
      {rows.map((row) => (
        <div class="where-row" key={row.path}>
          <a href={agentHref(run.runId, row.path)} onClick={followLink} title={withoutInvisible(row.headline)}>
            {withoutInvisible(row.path === agent.path ? 'this agent' : row.headline)}
          </a>
          <span class="where-bar">
            <span class="budget-own" style={{ width: `${(figuresOf(row) / most) * 100}%` }} />
          </span>
          <span class="number">{formatUsd((isOwn.value ? row.own : row.withDelegations).microUsd)}</span>
        </div>
      ))}
    </section>
  );
}

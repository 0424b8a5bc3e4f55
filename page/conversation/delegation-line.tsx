import type { JSX } from 'preact';
import type { ConversationCall } from '../../client/conversation/conversation';
import { StateBadge, StateBar, StateCounts } from '../components/state-badge';
import { plural, shortId } from '../format';
import { agentHref, followLink } from '../state/place';
import { shownRun } from '../state/session';
import { withoutInvisible } from '../text/invisible';
import type { ConversationState } from './conversation-state';

interface DelegationLineProps {
  readonly state: ConversationState;
  readonly call: ConversationCall;
  readonly turn: number;
}

/** The agents that a call started: a link to the one, or their states and a link to the batch. */
export function DelegationLine({ state, call, turn }: DelegationLineProps): JSX.Element | null {
  const run = shownRun.value;
  if (run === undefined || run.structure.value < 0) return null;
  const started = new Set(call.delegations ?? []);
  const children = run.childrenOf(state.path).filter((path) => {
    const batch = run.agent(path)?.peek().batch;
    return started.has(path.slice(path.lastIndexOf('/') + 1)) || (batch?.callId === call.callId && batch.turn === turn);
  });
  const [only] = children;
  if (only === undefined) return null;
  if (children.length === 1) return <AgentLink run={state.run} path={only} />;
  const counts = run.countsOf(`${state.path}|${call.callId}`).value;
  return (
    <div class="delegation-line">
      <StateBar counts={counts} />
      <StateCounts counts={counts} />
      <a href={agentHref(state.run, state.path, { table: call.callId })} onClick={followLink}>
        open {plural(children.length, 'agent')}
      </a>
    </div>
  );
}

/** A link to an agent, with its state. */
export function AgentLink({ run, path }: { readonly run: string; readonly path: string }): JSX.Element | null {
  const agent = shownRun.value?.agent(path)?.value;
  if (agent === undefined) return null;
  return (
    <div class="delegation-line">
      <StateBadge state={agent.state} />
      <a href={agentHref(run, path)} onClick={followLink} class="agent-link">
        {agent.role !== null && <span class="agent-role">{withoutInvisible(agent.role)} · </span>}
        {withoutInvisible(agent.headline)}
      </a>
      <span class="muted mono">{shortId(path.slice(path.lastIndexOf('/') + 1))}</span>
    </div>
  );
}

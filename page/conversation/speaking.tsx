import type { JSX } from 'preact';
import type { AgentRow } from '../../client/view/run-view';
import { Icon } from '../components/icon';
import { formatAge } from '../format';
import { now } from '../state/clock';
import { Markdown } from '../text/markdown';
import { VisibleText } from '../text/visible-text';
import type { ConversationState } from './conversation-state';

/** Maximum characters that are shown of an unfinished thought: its end. */
const shownThought = 600;

/** What the agent does at this moment: its reply as it arrives, or one line. Nothing of it is announced. */
export function Speaking({
  state,
  agent,
}: {
  readonly state: ConversationState;
  readonly agent: AgentRow;
}): JSX.Element | null {
  const reply = state.speaking.value;
  const recorded = state.list.value.entries.at(-1);
  const isRecorded = reply !== null && state.list.value.entries.some((each) => isTurn(each, reply.turn));
  if (agent.endedAt !== null || (agent.state !== 'running' && agent.state !== 'waiting')) return null;
  if (reply === null || isRecorded) return <Doing agent={agent} since={recorded?.at ?? null} />;
  const age = now.value - Date.parse(reply.startedAt);
  return (
    <div class="speaking" aria-live="off" data-turn={reply.turn}>
      <div class="turn-header">
        <h3>Turn {reply.turn}</h3>
        <span class="speaking-state">
          <Icon name="running" /> {reply.text === '' ? 'thinking' : 'speaking'}, {formatAge(age)}
        </span>
        {reply.attempt > 1 && <span class="tag">attempt {reply.attempt}</span>}
      </div>
      {reply.text === '' && reply.thinking !== '' && (
        <p class="speaking-thought">
          {reply.thinking.length > shownThought && '…'}
          <VisibleText text={reply.thinking.slice(-shownThought)} />
        </p>
      )}
      {reply.text !== '' && <Markdown text={reply.text} />}
      {reply.calling.map((tool, index) => (
        <p key={index} class="speaking-call">
          calls <code>{tool}</code> …
        </p>
      ))}
    </div>
  );
}

function isTurn(
  entry: { readonly kind: string; readonly turn?: number; readonly replaced?: number },
  turn: number,
): boolean {
  return entry.kind === 'turn' && entry.turn === turn && entry.replaced === undefined;
}

function Doing({ agent, since }: { readonly agent: AgentRow; readonly since: string | null }): JSX.Element {
  const last = agent.segments.at(-1);
  const from = last?.to === null ? last.from : since === null ? agent.startedAt : Date.parse(since);
  const words = agent.detail === '' ? (last?.to === null ? last.label : agent.state) : agent.detail;
  return (
    <p class="doing" aria-live="off">
      <Icon name={agent.state} /> {words}, {formatAge(now.value - from)}
    </p>
  );
}

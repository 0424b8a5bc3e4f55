import type { JSX } from 'preact';
import type { ConversationText, ConversationTurn } from '../../client/conversation/conversation';
import { Icon } from '../components/icon';
import { memo } from '../components/memo';
import { Time } from '../components/time';
import { describeUsage, formatCount, formatDuration, formatTokens, formatUsd } from '../format';
import { agentHref, followLink } from '../state/place';
import { LongText } from '../text/long-text';
import { Markdown } from '../text/markdown';
import { HugeText } from '../text/huge-text';
import type { ConversationState } from './conversation-state';
import { turnName } from './entry-list';
import { stopWords, turnLabel, usageWords } from './entry-words';
import { ToolCall } from './tool-call';

export interface TurnProps {
  readonly state: ConversationState;
  readonly turn: ConversationTurn;
  readonly total: number;
  readonly isTarget: boolean;
  readonly targetCall: string | undefined;
}

/** One turn. It is drawn again only if it has changed. */
export const Turn = memo(function Turn({ state, turn, total, isTarget, targetCall }: TurnProps): JSX.Element {
  const wasReplaced = turn.replaced !== undefined;
  return (
    <article
      class={`entry turn${wasReplaced ? ' replaced' : ''}${isTarget ? ' target' : ''}`}
      data-entry={turn.position}
      data-turn={turnName(turn)}
      aria-label={turnLabel(turn)}
      aria-posinset={turn.position + 1}
      aria-setsize={total}
      tabIndex={-1}
    >
      <TurnHeader state={state} turn={turn} />
      <div class="turn-body">
        {turn.thinking.map((text, index) => (
          <Thinking key={index} state={state} text={text} id={`thinking ${turn.position}.${index}`} />
        ))}
        {turn.text.map((text, index) => (
          <LongText key={index} run={state.run} text={text} label="the reply">
            {(whole) => <Markdown text={whole} />}
          </LongText>
        ))}
        {turn.calls.length > 0 && (
          <div class="calls">
            {turn.calls.map((call) => (
              <ToolCall
                key={call.callId}
                state={state}
                call={call}
                turn={turn.turn}
                isTarget={targetCall === call.callId}
              />
            ))}
          </div>
        )}
      </div>
    </article>
  );
});

function TurnHeader({
  state,
  turn,
}: {
  readonly state: ConversationState;
  readonly turn: ConversationTurn;
}): JSX.Element {
  const name = turnName(turn);
  const stopped = stopWords(turn);
  const at = turn.startedAt ?? turn.at;
  const attempts = turn.attempts ?? 1;
  return (
    <header class="turn-header">
      <h3>Turn {turn.turn}</h3>
      {turn.replaced !== undefined && <span class="tag">replaced by a reset</span>}
      {at !== null && <Time at={Date.parse(at)} />}
      {turn.tookMs !== null && <span title={turn.model}>{formatDuration(turn.tookMs)}</span>}
      <span title={describeUsage(turn.usage)}>{usageWords(turn).join(' · ')}</span>
      <span>{formatUsd(turn.microUsd)}</span>
      {attempts > 1 && <span class="tag">{attempts} attempts</span>}
      {stopped !== null && <span class="tag warning">{stopped}</span>}
      <a
        class="turn-link"
        href={agentHref(state.run, state.path, { t: name })}
        onClick={followLink}
        aria-label={`Link to turn ${name}`}
        title={`Link to turn ${name}`}
      >
        <Icon name="link" />
      </a>
    </header>
  );
}

interface ThinkingProps {
  readonly state: ConversationState;
  readonly text: ConversationText;
  readonly id: string;
}

function Thinking({ state, text, id }: ThinkingProps): JSX.Element {
  const isOpen = state.open.value.has(id);
  const size = text.whole?.bytes ?? text.text.length;
  return (
    <details class="thinking" open={isOpen} onToggle={(event) => state.toggle(id, event.currentTarget.open)}>
      <summary>
        <Icon name="right" class="call-arrow" />
        <span title={`${formatCount(size)} ${text.whole === undefined ? 'characters' : 'bytes'}`}>
          thought, {formatTokens(size)} {text.whole === undefined ? 'characters' : 'bytes'}
        </span>
      </summary>
      {isOpen && (
        <LongText run={state.run} text={text} label="the thought" maxDrawn={0}>
          {(whole) => <HugeText text={whole} />}
        </LongText>
      )}
    </details>
  );
}

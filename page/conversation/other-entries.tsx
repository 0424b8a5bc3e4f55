import type { JSX } from 'preact';
import type { ConversationMark, ConversationMessage } from '../../client/conversation/conversation';
import { Icon } from '../components/icon';
import { Time } from '../components/time';
import type { IconName } from '../icons';
import { firstLines } from '../text/json-fields';
import { LongText } from '../text/long-text';
import { Markdown } from '../text/markdown';
import { VisibleText } from '../text/visible-text';
import type { ConversationState } from './conversation-state';

const senders = {
  opening: 'Start of the conversation',
  engine: 'Message of the engine',
  operator: 'Message of an operator',
} as const;

interface MessageProps {
  readonly state: ConversationState;
  readonly message: ConversationMessage;
}

/** A text that the model received. Long ones show their first lines. */
export function Message({ state, message }: MessageProps): JSX.Element {
  const id = `message ${message.position}`;
  const isOpen = state.open.value.has(id);
  const { head, more } = firstLines(message.text.text, 12);
  return (
    <article
      class={`entry message from-${message.from}`}
      data-entry={message.position}
      aria-label={senders[message.from]}
      tabIndex={-1}
    >
      <header class="message-header">
        <Icon name={message.from === 'operator' ? 'steer' : message.from === 'engine' ? 'reload' : 'play'} />
        <span>{senders[message.from]}</span>
        {message.at !== null && <Time at={Date.parse(message.at)} />}
      </header>
      {more > 0 && !isOpen ? (
        <>
          <Markdown text={head} />
          <button type="button" class="button quiet" onClick={() => state.toggle(id, true)}>
            {more} more lines
          </button>
        </>
      ) : (
        <LongText run={state.run} text={message.text} label="the message">
          {(text) => <Markdown text={text} />}
        </LongText>
      )}
    </article>
  );
}

const markIcons: Readonly<Record<ConversationMark['kind'], IconName>> = {
  handoff: 'batch',
  reset: 'reload',
  model: 'external',
  tools: 'table',
  decision: 'needs you',
};

/** Something that happened between turns. */
export function Mark({ mark }: { readonly mark: ConversationMark }): JSX.Element {
  return (
    <article class={`entry mark mark-${mark.kind}`} data-entry={mark.position} aria-label={mark.text} tabIndex={-1}>
      <Icon name={markIcons[mark.kind]} />
      <span>
        <VisibleText text={mark.text} />
      </span>
      {mark.at !== null && <Time at={Date.parse(mark.at)} />}
    </article>
  );
}

import { useComputed, useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useRef } from 'preact/hooks';
import type { ConversationEntry } from '../../client/conversation/conversation';
import type { AgentRow } from '../../client/view/run-view';
import { Button } from '../components/button';
import { Placeholder } from '../components/placeholder';
import { LoadProblem } from '../detail/loaded';
import { formatBytes, plural } from '../format';
import { Missing } from '../shell/problem';
import type { AgentParams } from '../state/address';
import { agentHref, followLink } from '../state/place';
import type { ConversationState } from './conversation-state';
import { hasNewer, hasOlder, turnName } from './entry-list';
import { Mark, Message } from './other-entries';
import { Pill } from './pill';
import type { ScrollKeeper } from './scroll-keeper';
import { Speaking } from './speaking';
import { Turn } from './turn';
import { useReading } from './use-reading';

export interface ConversationProps {
  readonly state: ConversationState;
  readonly agent: AgentRow;
  readonly params: AgentParams;
  /** Shown after the last entry: what the agent waits for. */
  readonly children?: ComponentChildren;
}

/** The conversation of an agent, as far as it is loaded. Older and newer pages are loaded when they come near. */
export function Conversation({ state, agent, params, children }: ConversationProps): JSX.Element {
  const view = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const keeper = useSignal<ScrollKeeper | null>(null);
  useReading({ state, agent, params, view, content, keeper });
  const isReady = useComputed(() => state.isLoaded.value);
  return (
    <div class="conversation">
      <MissingEntry state={state} />
      <div ref={view} class="conversation-view" tabIndex={0} role="region" aria-label="Conversation">
        <div ref={content} class="conversation-content">
          {isReady.value && <Entries state={state} agent={agent} params={params} />}
          {!isReady.value && state.error.value === null && <Placeholder />}
          {state.error.value !== null && (
            <LoadProblem error={state.error.value} retry={() => void state.loadFirst('end', noEntry)} />
          )}
          {isReady.value && <Speaking state={state} agent={agent} />}
          {children}
        </div>
      </div>
      {keeper.value !== null && <Pill state={state} keeper={keeper.value} needsYou={agent.state === 'needs you'} />}
    </div>
  );
}

/** Says that the address names a turn or a call that this agent does not have. */
function MissingEntry({ state }: { readonly state: ConversationState }): JSX.Element | null {
  const missing = state.missing.value;
  if (missing === null) return null;
  return <Missing what={missing.call === undefined ? `turn ${missing.turn ?? ''}` : `call ${missing.call}`} />;
}

const noEntry = { turn: undefined, call: undefined };

function Entries({ state, agent, params }: ConversationProps): JSX.Element {
  const list = state.list.value;
  if (list.total === 0) return <EmptyConversation agent={agent} />;
  return (
    <>
      {hasOlder(list) ? (
        <div class="more-entries" data-more="older">
          <Button kind="quiet" onClick={() => void state.loadOlder()}>
            {plural(list.entries[0]?.position ?? 0, 'older entry', 'older entries')}
          </Button>
        </div>
      ) : (
        <PromptLine state={state} />
      )}
      <div role="feed" aria-label="Turns and messages">
        {list.entries.map((entry) => (
          <Entry key={entry.position} state={state} entry={entry} total={list.total} params={params} />
        ))}
      </div>
      {hasNewer(list) && (
        <div class="more-entries" data-more="newer">
          <Button kind="quiet" onClick={() => void state.loadNewer()}>
            {plural(list.total - 1 - (list.entries.at(-1)?.position ?? 0), 'newer entry', 'newer entries')}
          </Button>
        </div>
      )}
    </>
  );
}

function EmptyConversation({ agent }: { readonly agent: AgentRow }): JSX.Element {
  return (
    <p class="empty-words">
      {agent.endedAt === null
        ? 'No turn has been recorded yet. The first one appears here when the model has answered.'
        : 'This agent ended before its first turn.'}
    </p>
  );
}

function PromptLine({ state }: { readonly state: ConversationState }): JSX.Element | null {
  const prompt = state.prompt.value;
  if (prompt === null) return null;
  return (
    <p class="prompt-line">
      Prompt · {formatBytes(prompt.bytes)}{' '}
      <a href={agentHref(state.run, state.path, { tab: 'prompt' })} onClick={followLink}>
        open
      </a>
    </p>
  );
}

interface EntryProps {
  readonly state: ConversationState;
  readonly entry: ConversationEntry;
  readonly total: number;
  readonly params: AgentParams;
}

function Entry({ state, entry, total, params }: EntryProps): JSX.Element {
  if (entry.kind === 'message') return <Message state={state} message={entry} />;
  if (entry.kind !== 'turn') return <Mark mark={entry} />;
  const isTarget = params.t === turnName(entry) && params.c === undefined;
  const targetCall = entry.calls.some(({ callId }) => callId === params.c) ? params.c : undefined;
  return <Turn state={state} turn={entry} total={total} isTarget={isTarget} targetCall={targetCall} />;
}

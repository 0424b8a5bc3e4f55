import type { JSX } from 'preact';
import type { ConversationCall, ConversationText } from '../../client/conversation/conversation';
import { Icon } from '../components/icon';
import { formatAge, formatBytes, formatCount, formatDuration } from '../format';
import { now } from '../state/clock';
import { Code } from '../text/code-block';
import { languageOfFile } from '../text/code-colours';
import { HugeText } from '../text/huge-text';
import { withoutInvisible } from '../text/invisible';
import { jsonFields } from '../text/json-fields';
import { JsonView } from '../text/json-view';
import { maxColoured } from '../text/limits';
import { LongText } from '../text/long-text';
import { callOutcome, tellingArgument } from './call-summary';
import type { ConversationState } from './conversation-state';
import { DelegationLine } from './delegation-line';
import { startsAgents } from './entry-words';

interface ToolCallProps {
  readonly state: ConversationState;
  readonly call: ConversationCall;
  readonly turn: number;
  /** Whether the address names it. */
  readonly isTarget: boolean;
}

const icons = { running: 'running', done: 'completed', failed: 'failed' } as const;

/** A tool call: one line, and its arguments and result when it is opened. */
export function ToolCall({ state, call, turn, isTarget }: ToolCallProps): JSX.Element {
  const isOpen = state.open.value.has(call.callId);
  const outcome = callOutcome(call);
  const argument = withoutInvisible(tellingArgument(call));
  return (
    <div class="call-item">
      <details
        class={`call call-${outcome.state}${isTarget ? ' target' : ''}`}
        data-call={call.callId}
        open={isOpen}
        onToggle={(event) => state.toggle(call.callId, event.currentTarget.open)}
      >
        <summary>
          <Icon name="right" class="call-arrow" />
          <Icon name={icons[outcome.state]} class="call-icon" />
          <span class="call-name">{call.tool}</span>
          <span class="call-argument" title={argument}>
            {argument}
          </span>
          <span class="call-outcome" title={withoutInvisible(outcome.words)}>
            {outcome.state === 'failed' && <span class="visually-hidden">failed: </span>}
            {withoutInvisible(outcome.words)}
          </span>
          <CallTime call={call} />
        </summary>
        {isOpen && <CallBody state={state} call={call} />}
      </details>
      {startsAgents(call) && <DelegationLine state={state} call={call} turn={turn} />}
    </div>
  );
}

function CallTime({ call }: { readonly call: ConversationCall }): JSX.Element {
  const { tookMs, startedAt, result } = call;
  const size = result === null ? undefined : (result.whole?.bytes ?? new TextEncoder().encode(result.text).length);
  const title = [startedAt ?? '', size === undefined ? '' : `result of ${formatCount(size)} bytes`]
    .filter((part) => part !== '')
    .join(', ');
  if (result === null && startedAt !== null) {
    return <span class="call-time">{formatAge(now.value - Date.parse(startedAt))}</span>;
  }
  return (
    <span class="call-time" title={title}>
      {tookMs === null ? '' : formatDuration(tookMs)}
    </span>
  );
}

function CallBody({
  state,
  call,
}: {
  readonly state: ConversationState;
  readonly call: ConversationCall;
}): JSX.Element {
  return (
    <div class="call-body">
      <section aria-label="Arguments">
        <h4>arguments</h4>
        <LongText run={state.run} text={call.arguments} label="the arguments">
          {(json) => <JsonView json={json} label="the arguments" />}
        </LongText>
      </section>
      <section aria-label="Result">
        <h4>
          {call.result?.isError === true ? 'error' : 'result'}
          {call.result?.whole !== undefined && <span class="muted"> {formatBytes(call.result.whole.bytes)}</span>}
        </h4>
        {call.result === null ? (
          <p class="muted">There is no result yet.</p>
        ) : (
          <Result state={state} result={call.result} path={filePath(call)} />
        )}
      </section>
    </div>
  );
}

interface ResultProps {
  readonly state: ConversationState;
  readonly result: ConversationText & { readonly isError: boolean };
  readonly path: string;
}

function Result({ state, result, path }: ResultProps): JSX.Element {
  return (
    <div class={result.isError ? 'result-error' : ''}>
      <LongText run={state.run} text={result} label="the result">
        {(text) => <ResultText text={text} path={path} />}
      </LongText>
    </div>
  );
}

/** JSON as fields, contents of files with colours, and everything else as it is. */
function ResultText({ text, path }: { readonly text: string; readonly path: string }): JSX.Element {
  if (text === '') return <p class="muted">The result is empty.</p>;
  if (jsonFields(text) !== undefined) return <JsonView json={text} label="the result" />;
  if (text.length > maxColoured) return <HugeText text={text} />;
  return (
    <pre class="plain-block" tabIndex={0}>
      <Code text={text} language={path === '' ? undefined : languageOfFile(path)} />
    </pre>
  );
}

function filePath(call: ConversationCall): string {
  return call.tool === 'read_file' ? tellingArgument(call) : '';
}

import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { AgentRow } from '../../client/view/run-view';
import { api } from '../api';
import { Button } from '../components/button';
import { plural } from '../format';
import { send } from '../incident/decision-state';
import { clearDraft, draftOf, writeDraft } from '../incident/drafts';
import { TextField } from '../incident/form-fields';
import { reasonOff } from '../incident/why-off';
import type { RunState } from '../state/run-state';
import { VisibleText } from '../text/visible-text';

interface ControlsProps {
  readonly run: RunState;
  readonly agent: AgentRow;
}

type ControlName = 'pause' | 'resume' | 'steer' | 'cancel';

/** Pause, resume and steer, for an agent that has not ended. Only a whole run can be cancelled, and none that is recorded. */
export function Controls({ run, agent }: ControlsProps): JSX.Element | null {
  const answer = useSignal<{ readonly words: string; readonly isRefused: boolean } | null>(null);
  const isSending = useSignal(false);
  if (agent.endedAt !== null || api().recordedAt !== null) return null;
  const key = `${run.runId}/${agent.path} control`;
  const off = reasonOff(agent) ?? (isSending.value ? 'The agent has not answered yet.' : null);
  const submit = async (command: ControlName, body: object = {}): Promise<void> => {
    isSending.value = true;
    const result = await send(run.runId, command, { agent: agent.path, ...body });
    isSending.value = false;
    if ('refused' in result) answer.value = { words: result.refused, isRefused: true };
    else {
      answer.value = { words: acknowledged(command, result.record), isRefused: false };
      clearDraft(key);
    }
  };
  const form = draftOf(key).value['form'];
  return (
    <div class="controls">
      <ControlButtons agent={agent} draftKey={key} off={off} submit={(command) => void submit(command)} />
      {form === 'steer' && <SteerForm draftKey={key} off={off} submit={(text) => void submit('steer', { text })} />}
      {form === 'cancel' && (
        <CancelForm run={run} agent={agent} draftKey={key} off={off} submit={() => void submit('cancel')} />
      )}
      {answer.value !== null && (
        <p class={answer.value.isRefused ? 'control-answer refused' : 'control-answer'} role="status">
          <VisibleText text={answer.value.words} />
        </p>
      )}
    </div>
  );
}

interface ControlButtonsProps {
  readonly agent: AgentRow;
  readonly draftKey: string;
  readonly off: string | null;
  readonly submit: (command: ControlName) => void;
}

function ControlButtons({ agent, draftKey, off, submit }: ControlButtonsProps): JSX.Element {
  const form = draftOf(draftKey).value['form'];
  const toggle = (name: 'steer' | 'cancel'): void => writeDraft(draftKey, 'form', form === name ? '' : name);
  const isPaused = agent.state === 'paused';
  return (
    <>
      <Button icon={isPaused ? 'play' : 'pause'} off={off} onClick={() => submit(isPaused ? 'resume' : 'pause')}>
        {isPaused ? 'Resume' : 'Pause'}
      </Button>
      <Button icon="steer" off={off} expanded={form === 'steer'} onClick={() => toggle('steer')}>
        Steer…
      </Button>
      {agent.path === '' && (
        <Button kind="danger" icon="stop" off={off} expanded={form === 'cancel'} onClick={() => toggle('cancel')}>
          Cancel…
        </Button>
      )}
    </>
  );
}

function acknowledged(command: string, record: unknown): string {
  const state = typeof record === 'object' && record !== null && 'state' in record ? record.state : undefined;
  if (typeof state === 'string') return state;
  return (
    { pause: 'Pausing.', resume: 'Resumed.', steer: 'The message is sent with the next turn.', cancel: 'Cancelling.' }[
      command
    ] ?? 'Done.'
  );
}

interface SteerFormProps {
  readonly draftKey: string;
  readonly off: string | null;
  readonly submit: (text: string) => void;
}

function SteerForm({ draftKey, off, submit }: SteerFormProps): JSX.Element {
  const text = draftOf(draftKey).value['text']?.trim() ?? '';
  return (
    <div class="control-form">
      <TextField
        draftKey={draftKey}
        name="text"
        label="Message that the model receives with its next turn"
        rows={3}
        isFirst
      />
      <div class="decision-buttons">
        <Button
          kind="primary"
          off={off ?? (text === '' ? 'Write a message first.' : null)}
          onClick={() => submit(text)}
        >
          Send
        </Button>
        <Button onClick={() => writeDraft(draftKey, 'form', '')}>Close</Button>
      </div>
    </div>
  );
}

interface CancelFormProps extends ControlsProps {
  readonly draftKey: string;
  readonly off: string | null;
  readonly submit: () => void;
}

function CancelForm({ run, agent, draftKey, off, submit }: CancelFormProps): JSX.Element {
  const counts = run.countsOf(agent.path).value;
  const below = (['needs you', 'paused', 'running', 'waiting', 'queued', 'unknown'] as const).reduce(
    (sum, state) => sum + (counts[state] ?? 0),
    0,
  );
  return (
    <div class="control-form">
      <p>
        Ends the whole run, with {plural(below, 'agent')} below that {below === 1 ? 'has' : 'have'} not ended. What was
        paid for stays recorded.
      </p>
      <div class="decision-buttons">
        <Button kind="danger" off={off} onClick={submit}>
          Cancel the run
        </Button>
        <Button onClick={() => writeDraft(draftKey, 'form', '')}>Keep it running</Button>
      </div>
    </div>
  );
}

import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { AgentRow, ViewIncident } from '../../client/view/run-view';
import type { OperatorAction } from '../../domain/operator';
import { Button } from '../components/button';
import { CommandLine } from '../components/copy';
import { hello, shownRun } from '../state/session';
import { decisionFrom, possibleActions } from './decision';
import { decide, decisionStateOf, incidentKey } from './decision-state';
import { draftOf, writeDraft } from './drafts';
import { AmendmentFields, AnswerField, CallFields, TextField } from './form-fields';
import { abortWords, actionLabel, commandLine, effectOf } from './incident-words';

interface DecisionFormProps {
  readonly run: string;
  readonly incident: ViewIncident;
  readonly agent: AgentRow;
  /** Why the buttons are off; null if they are on. */
  readonly off: string | null;
}

/** Actions that ask for more before they are sent. */
const withForm: readonly OperatorAction[] = ['amend', 'skip', 'abort', 'deny'];

/** Buttons for what may be decided. Which form is open is part of the draft. */
export function DecisionForm({ run, incident, agent, off }: DecisionFormProps): JSX.Element {
  const key = incidentKey(run, incident);
  const missing = useSignal<string | null>(null);
  const draft = draftOf(key).value;
  const actions = possibleActions(incident);
  const open = actions.find((action) => action === draft['form']);
  const isSent = decisionStateOf(key).value.is === 'sent';
  const reason = isSent ? 'A decision was sent; the agent has not answered yet.' : off;
  const submit = (action: OperatorAction): void => {
    const body = decisionFrom(incident, action, draft);
    missing.value = typeof body === 'string' ? body : null;
    if (typeof body !== 'string') void decide(run, incident, body);
  };
  const press = (action: OperatorAction): void => {
    missing.value = null;
    if (withForm.includes(action)) writeDraft(key, 'form', action);
    else submit(action);
  };
  return (
    <div class="decision">
      <FormFields draftKey={key} incident={incident} agent={agent} open={open} />
      {missing.value !== null && (
        <p class="form-problem" role="alert">
          {missing.value}
        </p>
      )}
      <div class="decision-buttons">
        {open === undefined &&
          actions.map((action) => <ActionButton key={action} action={action} off={reason} press={press} />)}
        {open !== undefined && (
          <SubmitButtons action={open} off={reason} submit={submit} close={() => writeDraft(key, 'form', '')} />
        )}
      </div>
      {off !== null && <p class="off-reason">{off}</p>}
      <Effect run={run} incident={incident} action={open ?? actions[0] ?? 'retry'} />
    </div>
  );
}

interface FormFieldsProps {
  readonly draftKey: string;
  readonly incident: ViewIncident;
  readonly agent: AgentRow;
  /** The action whose form is open. */
  readonly open: OperatorAction | undefined;
}

function FormFields({ draftKey, incident, agent, open }: FormFieldsProps): JSX.Element {
  if (open !== undefined) return <OpenForm action={open} draftKey={draftKey} agent={agent} />;
  return (
    <>
      {incident.kind === 'question' && <AnswerField draftKey={draftKey} incident={incident} />}
      <TextField draftKey={draftKey} name="note" label="Note (optional)" aside={`by ${hello.value?.user ?? 'you'}`} />
      {incident.kind === 'approval' && <CallFields draftKey={draftKey} incident={incident} />}
    </>
  );
}

interface SubmitButtonsProps {
  readonly action: OperatorAction;
  readonly off: string | null;
  readonly submit: (action: OperatorAction) => void;
  readonly close: () => void;
}

function SubmitButtons({ action, off, submit, close }: SubmitButtonsProps): JSX.Element {
  return (
    <>
      <Button kind={action === 'abort' ? 'danger' : 'primary'} off={off} onClick={() => submit(action)}>
        {actionLabel(action).replace('…', '')}
      </Button>
      <Button onClick={close}>Keep waiting</Button>
    </>
  );
}

interface ActionButtonProps {
  readonly action: OperatorAction;
  readonly off: string | null;
  readonly press: (action: OperatorAction) => void;
}

function ActionButton({ action, off, press }: ActionButtonProps): JSX.Element {
  const isFirst = ['retry', 'approve', 'answer'].includes(action);
  const kind = isFirst ? 'primary' : action === 'abort' ? 'danger' : 'plain';
  return (
    <Button kind={kind} class={action === 'abort' ? 'at-end' : ''} off={off} onClick={() => press(action)}>
      {actionLabel(action)}
    </Button>
  );
}

interface EffectProps {
  readonly run: string;
  readonly incident: ViewIncident;
  readonly action: OperatorAction;
}

/** What the decision does, and the command that does the same. */
function Effect({ run, incident, action }: EffectProps): JSX.Element {
  return (
    <p class="decision-effect">
      {effectOf(action, incident)} <CommandLine line={commandLine(run, incident.path, incident, action)} />
    </p>
  );
}

interface OpenFormProps {
  readonly action: OperatorAction;
  readonly draftKey: string;
  readonly agent: AgentRow;
}

function OpenForm({ action, draftKey, agent }: OpenFormProps): JSX.Element {
  return (
    <>
      {action === 'abort' && <p class="abort-words">{abortWords(agent, runningBelow(agent.path), parentOf(agent))}</p>}
      {action === 'amend' && <AmendmentFields draftKey={draftKey} />}
      {action === 'skip' && (
        <TextField draftKey={draftKey} name="placeholder" label="Result that is used instead" rows={4} isFirst />
      )}
      <TextField
        draftKey={draftKey}
        name="note"
        label={action === 'deny' ? 'Reason, which the agent reads' : 'Note (optional)'}
        isFirst={action === 'deny'}
      />
    </>
  );
}

/** Number of agents below this one that have not ended. */
function runningBelow(path: string): number {
  const counts = shownRun.value?.countsOf(path).value ?? {};
  const open = ['needs you', 'paused', 'running', 'waiting', 'queued', 'unknown'] as const;
  return open.reduce((sum, state) => sum + (counts[state] ?? 0), 0);
}

function parentOf({ parent }: AgentRow): AgentRow | undefined {
  return parent === null ? undefined : shownRun.value?.agent(parent)?.value;
}

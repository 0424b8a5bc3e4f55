import type { AgentRow, ViewIncident } from '../../client/view/run-view';
import type { OperatorAction } from '../../domain/operator';
import { plural, shortId } from '../format';

/** What happened, in one line. */
export function incidentTitle({ kind, type, step, attempt, tool, delegation }: ViewIncident): string {
  switch (kind) {
    case 'approval':
      return `Wants to call ${tool ?? 'a tool'}`;
    case 'toolRequest':
      return `Asks for the tool ${tool ?? ''}`.trimEnd();
    case 'question':
      return 'Asks a question';
    case 'failure': {
      const what = delegation === null ? capital(step) : `Delegation ${shortId(delegation)}`;
      return `${what} failed${attempt > 1 ? ` ${times(attempt)}` : ''}: ${type}`;
    }
  }
}

function times(count: number): string {
  return ['never', 'once', 'twice', 'three times', 'four times', 'five times'][count] ?? `${count} times`;
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

const labels: Readonly<Record<OperatorAction, string>> = {
  retry: 'Retry',
  amend: 'Amend…',
  skip: 'Skip with a result…',
  abort: 'Abort…',
  approve: 'Approve',
  deny: 'Deny…',
  answer: 'Send answer',
};

export function actionLabel(action: OperatorAction): string {
  return labels[action];
}

/** What the main button does. */
export function effectOf(action: OperatorAction, { step }: ViewIncident): string {
  switch (action) {
    case 'retry':
      return `Retry tries ${step} again; nothing that was paid for is paid again.`;
    case 'amend':
      return `Changes the agent, then tries ${step} again.`;
    case 'skip':
      return `The run continues with this text in place of the result of ${step}.`;
    case 'abort':
      return 'The agent fails.';
    case 'approve':
      return 'The agent continues and calls the tool.';
    case 'deny':
      return 'The agent continues without it, and reads your note.';
    case 'answer':
      return 'The agent continues with your answer.';
  }
}

/** What an abort ends. */
export function abortWords(agent: AgentRow, below: number, parent: AgentRow | undefined): string {
  const name = agent.path === '' ? 'the run' : shortId(agent.path.slice(agent.path.lastIndexOf('/') + 1));
  const goesTo =
    parent === undefined
      ? ''
      : ` Its failure goes to ${parent.path === '' ? 'the root' : shortId(parent.path.slice(parent.path.lastIndexOf('/') + 1))}.`;
  return `Ends ${name}.${goesTo} ${plural(below, 'agent')} below ${below === 1 ? 'ends' : 'end'} with it.`;
}

/** The command that does the same in a terminal. */
export function commandLine(run: string, path: string, { id }: ViewIncident, action: OperatorAction): string {
  const target = path === '' ? run : `${run}/${path.slice(path.lastIndexOf('/') + 1)}`;
  const given: Readonly<Partial<Record<OperatorAction, string>>> = { skip: ' --result "…"', answer: ' "…"' };
  return `baton ${action} ${target} --incident ${id}${given[action] ?? ''}`;
}

/** What happened. The arguments of a call are not repeated: they are shown below it. */
export function incidentMessage({ message, argumentsText, tool }: ViewIncident): string {
  const call = `The agent wants to call ${tool ?? ''} with ${argumentsText ?? ''}`;
  if (argumentsText === undefined || !message.startsWith(call)) return message;
  return message.slice(call.length).replace(/^ \(([^]*)\)$/, '$1');
}

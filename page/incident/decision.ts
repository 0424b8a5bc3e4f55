import type { ViewIncident } from '../../client/view/run-view';
import type { OperatorAction } from '../../domain/operator';
import type { Draft } from './drafts';

/** What may be decided about an incident, in the order of the buttons. */
export function possibleActions({ kind, delegation }: ViewIncident): readonly OperatorAction[] {
  switch (kind) {
    case 'failure':
      // A delegation that has closed can't be amended.
      return delegation === null ? ['retry', 'amend', 'skip', 'abort'] : ['retry', 'skip', 'abort'];
    case 'toolRequest':
    case 'approval':
      return ['approve', 'deny'];
    case 'question':
      return ['answer'];
  }
}

/** The body of a decision, without the agent. */
export type DecisionBody = Readonly<Record<string, unknown>> & { readonly action: OperatorAction };

/** Makes a decision from what was written. Returns a string if something is missing: what to write. */
export function decisionFrom(incident: ViewIncident, action: OperatorAction, draft: Draft): DecisionBody | string {
  const note = draft['note']?.trim() ?? '';
  const common = { incident: incident.id, ...(note === '' ? {} : { note }) };
  switch (action) {
    case 'retry':
    case 'abort':
      return { action, ...common };
    case 'skip': {
      const placeholder = draft['placeholder']?.trim() ?? '';
      return placeholder === '' ? 'Write the result that is used instead.' : { action, placeholder, ...common };
    }
    case 'answer': {
      const text = draft['answer']?.trim() ?? '';
      return text === '' ? 'Write or choose an answer.' : { action, text, ...common };
    }
    case 'amend': {
      const amendment = amendmentFrom(draft);
      return typeof amendment === 'string' ? amendment : { action, amendment, ...common };
    }
    case 'approve':
    case 'deny':
      return callDecision(action, incident, draft, common);
  }
}

function callDecision(
  action: 'approve' | 'deny',
  incident: ViewIncident,
  draft: Draft,
  common: object,
): DecisionBody | string {
  if (incident.kind !== 'approval') return { action, ...common };
  const always = draft['always'] === 'yes' ? { always: true } : {};
  const edited = draft['edit'];
  if (action === 'deny' || edited === undefined) return { action, ...always, ...common };
  try {
    const edit: unknown = JSON.parse(edited);
    if (typeof edit === 'object' && edit !== null && !Array.isArray(edit))
      return { action, ...always, edit, ...common };
  } catch {
    // Said below.
  }
  return 'The changed arguments are not a JSON object.';
}

/** Fields of the form for changes, with what they are called. Amounts are added to what the agent has. */
export const amendmentFields = [
  { name: 'instructions', label: 'Message to the model', kind: 'text' },
  { name: 'model', label: 'Another model', kind: 'line' },
  { name: 'turns', label: 'More turns', kind: 'number' },
  { name: 'tokens', label: 'More tokens', kind: 'number' },
  { name: 'usd', label: 'More dollars', kind: 'number' },
] as const;

function amendmentFrom(draft: Draft): object | string {
  const text = (name: string): string => draft[name]?.trim() ?? '';
  const wrong = amendmentFields.find(({ name, kind }) => kind === 'number' && !(Number(text(name)) >= 0));
  if (wrong !== undefined) return `${wrong.label}: "${text(wrong.name)}" is not a number.`;
  const budget = {
    ...(text('turns') === '' ? {} : { turns: Math.round(Number(text('turns'))) }),
    ...(text('tokens') === '' ? {} : { tokens: Math.round(Number(text('tokens'))) }),
    ...(text('usd') === '' ? {} : { microUsd: Math.round(Number(text('usd')) * 1_000_000) }),
  };
  const amendment = {
    ...(text('instructions') === '' ? {} : { instructions: text('instructions') }),
    ...(text('model') === '' ? {} : { model: { name: text('model') } }),
    ...(Object.keys(budget).length === 0 ? {} : { budget }),
  };
  return Object.keys(amendment).length === 0 ? 'Change at least one thing.' : amendment;
}

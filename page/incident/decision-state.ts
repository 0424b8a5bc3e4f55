import { type Signal, signal } from '@preact/signals';
import type { ViewIncident } from '../../client/view/run-view';
import type { DecisionRecord, OperatorAction } from '../../domain/operator';
import { api } from '../api';
import type { CommandAnswer } from '../protocol';
import { toError } from '../state/loadable';
import type { DecisionBody } from './decision';
import { clearDraft } from './drafts';

/** State of a decision. It counts only when the agent has recorded it. */
export type DecisionState =
  | { readonly is: 'open' }
  | { readonly is: 'sent'; readonly action: OperatorAction; readonly at: number }
  /** The agent refused, or the request failed: the incident may still be open. */
  | { readonly is: 'refused'; readonly words: string; readonly byAgent: boolean }
  | { readonly is: 'recorded'; readonly record: DecisionRecord };

const states = new Map<string, Signal<DecisionState>>();

/** Identifies an incident within the page. A later one of the same agent has another number. */
export function incidentKey(run: string, { path, id }: Pick<ViewIncident, 'path' | 'id'>): string {
  return `${run}/${path}:${id}`;
}

export function decisionStateOf(key: string): Signal<DecisionState> {
  const known = states.get(key) ?? signal<DecisionState>({ is: 'open' });
  states.set(key, known);
  return known;
}

/** Sends a decision. Returns whether the agent recorded it. */
export async function decide(run: string, incident: ViewIncident, body: DecisionBody): Promise<boolean> {
  const key = incidentKey(run, incident);
  const state = decisionStateOf(key);
  state.value = { is: 'sent', action: body.action, at: Date.now() };
  const answer = await send(run, 'decide', { agent: incident.path, ...body });
  if ('refused' in answer) {
    state.value = { is: 'refused', words: answer.refused, byAgent: answer.byAgent };
    return false;
  }
  state.value = { is: 'recorded', record: answer.record as DecisionRecord };
  clearDraft(key);
  return true;
}

/** Sends a command. A request that failed is a refusal that does not come from the agent. */
export async function send(
  run: string,
  command: 'decide' | 'pause' | 'resume' | 'steer' | 'cancel',
  body: object,
): Promise<{ readonly record: unknown } | { readonly refused: string; readonly byAgent: boolean }> {
  try {
    const answer: CommandAnswer = await api().post(`runs/${encodeURIComponent(run)}/${command}`, body);
    return 'refused' in answer ? { refused: answer.refused, byAgent: true } : answer;
  } catch (error) {
    return { refused: toError(error).message, byAgent: false };
  }
}

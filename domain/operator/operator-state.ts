import { checkValue, truncateText, visibleJson, visibleText } from '../kernel';
import {
  type Amendment,
  type DecisionRecord,
  type Incident,
  maxStandingDecisions,
  type OperatorDecision,
  type OperatorState,
  type Retry,
  retrySchema,
  type StandingDecision,
} from './contract';

// An agent's operator state is carried over when it continues as new, and queries return it. These limits keep it below
// 300 KiB, whatever operators send.

/** Maximum decisions kept in an agent's state. Older ones are only in its history. */
export const maxKeptDecisions = 20;

/** Maximum characters of an incident's message. */
export const maxIncidentMessage = 500;

/** Maximum incidents that an agent's status lists. Further ones are listed when these have been answered. */
export const maxListedIncidents = 100;

/** Returns the state after a decision. */
export function withDecision(state: OperatorState, record: DecisionRecord): OperatorState {
  return { ...state, decisions: [...state.decisions, record].slice(-maxKeptDecisions) };
}

/** Returns the state after a steering message was accepted. */
export function withSteering(state: OperatorState, text: string): OperatorState {
  return { ...state, steering: [...state.steering, text.trim()] };
}

/** Maximum changes of settings that wait for an agent's next step. */
const maxWaitingAmendments = 10;

/** Returns the state with a change of settings that the next step applies. Only the newest ones are kept. */
export function withAmendment(state: OperatorState, amendment: Amendment): OperatorState {
  return { ...state, amendments: [...(state.amendments ?? []), amendment].slice(-maxWaitingAmendments) };
}

/** Returns the state with decisions about further calls. A later one about the same calls replaces an earlier one. */
export function withStanding(state: OperatorState, decisions: readonly StandingDecision[]): OperatorState {
  const key = ({ tool, rules }: StandingDecision): string => [tool, ...rules].join(' ');
  const replaced = new Set(decisions.map(key));
  const kept = (state.standing ?? []).filter((one) => !replaced.has(key(one)));
  return { ...state, standing: [...kept, ...decisions].slice(-maxStandingDecisions) };
}

/** Maximum characters of the reason in a decision about further calls. */
const maxStandingNote = 1_000;

/** Returns what a decision about a call means for further ones; undefined if it is about this one only. */
export function standingOf(
  decision: OperatorDecision,
  { tool, call }: Pick<Incident, 'tool' | 'call'>,
): StandingDecision | undefined {
  if (decision.action !== 'approve' && decision.action !== 'deny') return undefined;
  if (decision.always !== true || tool === null || call === undefined) return undefined;
  const { action, by = '', note = '' } = decision;
  return { tool, rules: call.rules, action, by, note: truncateText(note, maxStandingNote) };
}

/** A call, as far as decisions about further calls depend on it. */
interface RuledCall {
  readonly tool: string;
  /** Ids of the approval rules that it matches. */
  readonly rules: readonly string[];
}

/**
 * Returns the decision that applies to a call without asking: a denial of one of its rules, or else the approvals of all
 * of them, of which the last one is returned. Undefined if an operator has to be asked.
 */
export function standingFor(
  { standing = [] }: OperatorState,
  { tool, rules }: RuledCall,
): StandingDecision | undefined {
  const about = standing.filter((one) => one.tool === tool && one.rules.some((rule) => rules.includes(rule)));
  const denial = about.find(({ action }) => action === 'deny');
  if (denial !== undefined) return denial;
  const isCovered = rules.every((rule) => about.some((one) => one.rules.includes(rule)));
  return isCovered ? about.at(-1) : undefined;
}

/** Returns an incident with a message of limited length. */
export function boundedIncident<Part extends Pick<Incident, 'message'>>(incident: Part): Part {
  return { ...incident, message: truncateText(incident.message, maxIncidentMessage) };
}

/** The incidents that a status lists. */
export interface ListedIncidents {
  readonly incidents: readonly Incident[];
  /** Number of further open incidents; omitted when there are none. */
  readonly moreIncidents?: number;
}

/** Returns the oldest open incidents, and how many there are beyond those. */
export function listIncidents(open: readonly Incident[]): ListedIncidents {
  const incidents = open.slice(0, maxListedIncidents);
  const more = open.length - incidents.length;
  return more === 0 ? { incidents } : { incidents, moreIncidents: more };
}

/** Maximum characters of arguments and answers in the record of a decision. */
const maxRecorded = 300;

/** Builds the record of a decision. `edited` are the arguments that replace those of a call, as JSON. */
export function decisionRecord(decision: OperatorDecision, at: string): DecisionRecord {
  const { incident, action, by = '', note = '' } = decision;
  const record = { incident, action, by, note, at };
  if (decision.action === 'answer') return { ...record, answer: truncateText(visibleText(decision.text), maxRecorded) };
  if (decision.action !== 'approve' && decision.action !== 'deny') return record;
  const edit = decision.action === 'approve' ? decision.edit : undefined;
  return {
    ...record,
    ...(decision.always === true ? { always: true as const } : {}),
    ...(edit === undefined ? {} : { edited: truncateText(visibleJson(edit), maxRecorded) }),
  };
}

const retryPrefix = 'baton retry';

/** Formats the reason of the reset with which an operator retries a failed agent. The agent reads it there. */
export function formatRetryReason(retry: Retry): string {
  return Object.keys(retry).length === 0 ? retryPrefix : `${retryPrefix} ${JSON.stringify(retry)}`;
}

/** Parses the reason of a reset; undefined if it is not the retry of a failed agent. */
export function parseRetryReason(reason: string): Retry | undefined {
  const text = reason.trim();
  if (!text.startsWith(retryPrefix)) return undefined;
  try {
    return checkValue(retrySchema, JSON.parse(text.slice(retryPrefix.length) || '{}')).data;
  } catch {
    return undefined;
  }
}

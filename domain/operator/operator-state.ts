import { truncateText } from '../kernel';
import {
  type Amendment,
  type DecisionRecord,
  type Incident,
  type OperatorState,
  type Retry,
  retrySchema,
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
    return retrySchema.safeParse(JSON.parse(text.slice(retryPrefix.length) || '{}')).data;
  } catch {
    return undefined;
  }
}

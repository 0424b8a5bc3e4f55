import { truncateText } from '../kernel';
import type { DecisionRecord, Incident, OperatorState } from './contract';

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

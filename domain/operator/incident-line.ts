import type { Incident } from './incident';

/** Maximum characters of the message. The server limits a timer's summary to 400 bytes of its encoded payload. */
const maxMessage = 60;

/**
 * Formats an incident as the UI summary of the timer that waits for an operator. It is recorded in the agent's history,
 * and `parseIncidentSummary` parses it back.
 */
export function formatIncidentSummary({
  id,
  type,
  step,
  message,
}: Pick<Incident, 'id' | 'type' | 'step' | 'message'>): string {
  const text = message.replace(/[\p{Cc}\s]+/gu, ' ').trim();
  const cut = text.length > maxMessage ? `${text.slice(0, maxMessage - 1)}…` : text;
  return `${id} ${type} at ${step}: ${cut}`;
}

/** Parses the summary written by `formatIncidentSummary`; undefined when the text is not such a summary. */
export function parseIncidentSummary(line: string): Pick<Incident, 'id' | 'type' | 'step' | 'message'> | undefined {
  const [, id, type, step, message] = /^(i\d+) (\S+) at (.*?): (.*)$/su.exec(line) ?? [];
  if (id === undefined || type === undefined || step === undefined || message === undefined) return undefined;
  return { id, type, step, message };
}

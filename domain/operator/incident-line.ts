import type { Incident } from './incident';

/** What a server takes for the summary of a timer is 400 bytes, however they are written. */
const maxMessage = 60;

/** An incident on one line: it stands at the timer that waits for an operator, and so in the agent's history. */
export function incidentLine({ id, type, step, message }: Pick<Incident, 'id' | 'type' | 'step' | 'message'>): string {
  const words = message.replace(/[\p{Cc}\s]+/gu, ' ').trim();
  const cut = words.length > maxMessage ? `${words.slice(0, maxMessage - 1)}…` : words;
  return `${id} ${type} at ${step}: ${cut}`;
}

export function readIncidentLine(line: string): Pick<Incident, 'id' | 'type' | 'step' | 'message'> | undefined {
  const [, id, type, step, message] = /^(i\d+) (\S+) at (.*?): (.*)$/su.exec(line) ?? [];
  if (id === undefined || type === undefined || step === undefined || message === undefined) return undefined;
  return { id, type, step, message };
}

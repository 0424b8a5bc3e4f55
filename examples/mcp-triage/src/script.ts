import { say, type Script, useTool, useTools } from 'baton-agents/testing';

/** Plays the model: lists the tickets, labels all of them in one turn, and reports. */
export const script: Script = ({ toolExchanges: [listed, ...labelled] }) => {
  if (listed === undefined) return useTool('mcp__tickets__list_tickets', {});
  const tickets = JSON.parse(listed.result?.text ?? '[]') as { id: string; text: string }[];
  const labels = tickets.map(({ id, text }) => ({ id, label: labelFor(text) }));
  if (tickets.length === 0) return say('There is nothing to do.');
  if (labelled.length === 0) return useTools(labels.map((input) => ({ name: 'mcp__tickets__label_ticket', input })));
  return say(tickets.map(({ id, text }) => `${id} ${labelFor(text)}: ${text}`).join('\n'));
};

function labelFor(text: string): string {
  if (text.includes('charged')) return 'billing';
  return text.includes('blank') ? 'outage' : 'wish';
}

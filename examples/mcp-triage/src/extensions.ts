import { definePrompt } from 'baton-agents/worker';
import { join } from 'node:path';
import { z } from 'zod';

/** Labels new tickets. It may use exactly the tools of the server that its prompt names. */
const triagePrompt = definePrompt({
  ns: 'support',
  key: 'triage',
  description: 'Labels new tickets.',
  parameters: z.object({}),
  sections: [
    {
      key: 'task',
      title: 'Task',
      template:
        'Label every ticket that nobody has looked at. Something that does not work for anybody is an `outage`, money ' +
        'is `billing`, everything else a `wish`. Answer with one line per ticket: id, label, and why.',
    },
  ],
  mcp: { tickets: ['list_tickets', 'label_ticket'] },
});

/** What this project adds to Baton. Instead of `mcpServers`, a file .mcp.json can name the servers. */
export const extensions = {
  prompts: [triagePrompt.definition],
  mcpServers: { tickets: { command: process.execPath, args: [join(__dirname, 'tickets-server.js')] } },
};

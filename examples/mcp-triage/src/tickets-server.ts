// An MCP server with three tickets. In your project, this is the server of your tracker, of which you have only a command
// or an address.
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const tickets = [
  { id: 'T1', text: 'The login page is blank since this morning', label: '' },
  { id: 'T2', text: 'Could you support dark mode?', label: '' },
  { id: 'T3', text: 'I was charged twice for March', label: '' },
];

function createServer(): McpServer {
  const server = new McpServer({ name: 'tickets', version: '1.0.0' });
  const text = (value: unknown) => ({ content: [{ type: 'text' as const, text: JSON.stringify(value) }] });
  server.registerTool(
    'list_tickets',
    {
      description: 'Lists the tickets that nobody has looked at.',
      inputSchema: z.object({}),
      annotations: { readOnlyHint: true },
    },
    () => text(tickets.filter(({ label }) => label === '')),
  );
  server.registerTool(
    'label_ticket',
    {
      description: 'Labels a ticket.',
      inputSchema: z.object({ id: z.string(), label: z.enum(['outage', 'billing', 'wish']) }),
      annotations: { idempotentHint: true },
    },
    ({ id, label }) => {
      const ticket = tickets.find((each) => each.id === id);
      if (ticket === undefined) return { ...text(`The ticket ${id} does not exist.`), isError: true };
      ticket.label = label;
      return text(ticket);
    },
  );
  return server;
}

void serveStdio(createServer);

import { definePrompt } from 'baton-agents/worker';
import { z } from 'zod';
import { type Bookings, bookingsInMemory } from './bookings.js';
import { bookTableTool, freeTablesTool } from './tools.js';

/** Answers a guest. A booking for more than six waits until a person approves it. */
const supportPrompt = definePrompt({
  ns: 'restaurant',
  key: 'support',
  description: 'Answers the message of a guest, and books tables.',
  parameters: z.object({ message: z.string().describe('what the guest wrote') }),
  sections: [
    {
      key: 'guest',
      title: 'Guest',
      template:
        'You answer guests of a restaurant, politely and in two sentences. Book only what the guest asks for. If a ' +
        'booking is denied, say so and pass on the reason. The guest wrote:\n\n${message}',
      tools: ['free_tables', 'book_table'],
    },
  ],
  approve: [{ tool: 'book_table', when: { guests: '^([7-9]|[1-4][0-9])$' }, reason: 'The kitchen has to agree.' }],
});

/** What this project adds to Baton. */
export function extensionsFor(bookings: Bookings) {
  return { tools: [freeTablesTool(bookings), bookTableTool(bookings)], prompts: [supportPrompt.definition] };
}

export const extensions = extensionsFor(bookingsInMemory());

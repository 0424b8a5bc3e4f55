import { defineTool, type Tool, ToolError } from 'baton-agents/worker';
import { z } from 'zod';
import type { Bookings } from './bookings.js';

const guests = z.int().min(1).max(40).describe('number of guests');

/** Says which tables are free. */
export function freeTablesTool(bookings: Bookings): Tool {
  return defineTool({
    name: 'free_tables',
    id: 'restaurant/free_tables@1',
    description: 'Lists the tables that are free tonight for this many guests.',
    parameters: z.strictObject({ guests }),
    success: 'The names of the tables.',
    cost: 'Free.',
    safeToRepeat: true,
    run: async (input) => ({ message: (await bookings.free(input.guests)).join('\n') }),
  });
}

/** Books a table. It is safe to repeat, because the call's key makes a second attempt return the first booking. */
export function bookTableTool(bookings: Bookings): Tool {
  return defineTool({
    name: 'book_table',
    id: 'restaurant/book_table@1',
    description: 'Books a free table for tonight. The guests are told at once.',
    parameters: z.strictObject({ table: z.string(), guests }),
    success: 'The table is booked.',
    cost: 'A table that nobody else can have.',
    safeToRepeat: true,
    async run(input, { key }) {
      const free = await bookings.free(input.guests);
      if (!free.includes(input.table))
        throw new ToolError(`${input.table} is not free for ${input.guests}. Free: ${free.join(', ')}.`);
      return { message: `Booked ${await bookings.book(key, input.table, input.guests)}.` };
    },
  });
}

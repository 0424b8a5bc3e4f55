import { z } from 'zod';
import { defineTool } from './tool';

export const addNoteTool = defineTool({
  name: 'add_note',
  id: 'baton/add_note@1',
  description:
    'Remembers a fact or a decision for later turns and for agents you delegate to. One thing a note, in a sentence or two; longer texts are artifacts.',
  parameters: z.strictObject({ text: z.string().min(1).max(1_000) }),
  success: 'The note is kept in the session.',
  cost: 'Free.',
  safeToRepeat: true,

  run({ text }, { agent }) {
    return Promise.resolve({ message: 'Noted.', events: [{ type: 'noteAdded', value: { text, by: agent } }] });
  },
});

import { z } from 'zod';
import { defineTool } from './tool';

/** Records a note in the session. */
export const addNoteTool = defineTool({
  name: 'add_note',
  id: 'baton/add_note@2',
  description:
    'Remembers a fact or a decision for later turns and for agents you delegate to. One thing a note, in a sentence or two; longer texts are artifacts. Mark what was decided, and what must not get lost, with `kind`: decisions are carried over word for word when you have to hand over.',
  parameters: z.strictObject({
    text: z.string().min(1).max(1_000),
    kind: z.literal('decision').optional().describe('Only for decisions; left out for anything else'),
  }),
  success: 'The note is kept in the session.',
  cost: 'Free.',
  safeToRepeat: true,

  run({ text, kind }, { agent }) {
    const value = { text, by: agent, ...(kind === undefined ? {} : { kind }) };
    const message = kind === undefined ? 'Noted.' : 'Noted as a decision.';
    return Promise.resolve({ message, events: [{ type: 'noteAdded', value }] });
  },
});

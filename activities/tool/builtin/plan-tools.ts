import { z } from 'zod';
import { defineTool } from '../define-tool';

/** Records a note in the session. */
export const addNoteTool = defineTool({
  name: 'add_note',
  id: 'baton/add_note@2',
  description:
    'Records a fact or a decision for your later turns and for agents you delegate to. One fact per note, in one or two sentences; put longer text in an artifact. Set `kind` to "decision" for decisions that must not be lost: they are kept word for word if a new agent has to continue your work.',
  parameters: z.strictObject({
    text: z.string().min(1).max(1_000),
    kind: z.literal('decision').optional().describe('Set to "decision" for decisions; omit otherwise'),
  }),
  success: 'The note is recorded in the session.',
  cost: 'Free.',
  safeToRepeat: true,

  run({ text, kind }, { agent }) {
    const value = { text, by: agent, ...(kind === undefined ? {} : { kind }) };
    const message = kind === undefined ? 'Recorded.' : 'Recorded as a decision.';
    return Promise.resolve({ message, events: [{ type: 'noteAdded', value }] });
  },
});

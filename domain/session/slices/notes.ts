import { z } from 'zod';
import { append } from '../reducers';
import { defineSlice } from '../slice';

const shownNotes = 5;

/** Something worth remembering, in words. What is longer is an artifact. */
export const noteSchema = z.strictObject({
  text: z.string().min(1).max(1_000),
  by: z.string().min(1).max(200),
});
export type Note = Readonly<z.infer<typeof noteSchema>>;

export const notesSlice = defineSlice({
  name: 'notes',
  record: noteSchema,
  conflict: 'append',
  on: { noteAdded: append() },
  summarize: (notes) => [
    notes.length > shownNotes ? `Notes: ${notes.length}, the last ${shownNotes} are` : `Notes: ${notes.length}`,
    ...notes.slice(-shownNotes).map(({ text, by }) => `- ${by}: ${text}`),
  ],
});

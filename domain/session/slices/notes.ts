import { z } from 'zod';
import { utf8 } from '../../kernel/hash';
import { RefusedEventError } from '../session-errors';
import { addedLater } from '../fingerprint';
import { append } from '../reducers';
import { recordsOf, type Session } from '../session';
import { defineSlice } from '../slice';

const shownNotes = 5;
/** Maximum decisions of a session. Every handoff repeats all decisions, and its size is limited. */
export const maxDecisions = 100;
/** Maximum bytes of the texts of all decisions, as a JSON array. */
export const maxDecisionBytes = 12 * 1024;

/** A short text to remember. Longer texts belong in artifacts. */
export const noteSchema = z.strictObject({
  text: z.string().min(1).max(1_000),
  by: z.string().min(1).max(200),
  /** Decisions are repeated word for word in every handoff. */
  kind: z.literal('decision').optional().meta(addedLater),
});
export type Note = Readonly<z.infer<typeof noteSchema>>;

const appendNote = append();

/** The notes of all agents, in order. */
export const notesSlice = defineSlice({
  name: 'notes',
  record: noteSchema,
  conflict: 'append',
  on: {
    noteAdded: (notes, note) => {
      const longer = appendNote(notes, note);
      if (longer !== notes && note.kind === 'decision') requireRoom(longer);
      return longer;
    },
  },
  summarize: (notes) => [
    notes.length > shownNotes ? `Notes: ${notes.length}, the last ${shownNotes} of them:` : `Notes: ${notes.length}`,
    ...notes
      .slice(-shownNotes)
      .map(({ text, by, kind }) => `- ${by}${kind === undefined ? '' : ' (decision)'}: ${text}`),
  ],
});

/**
 * Returns the distinct texts of all decisions in the session, from any agent, in the order in which they were recorded.
 */
export function recordedDecisions(session: Pick<Session, 'slices'>): readonly string[] {
  return decisionsAmong(recordsOf(session, notesSlice));
}

function decisionsAmong(notes: readonly Note[]): readonly string[] {
  return [...new Set(notes.flatMap(({ text, kind }) => (kind === 'decision' ? [text] : [])))];
}

function requireRoom(notes: readonly Note[]): void {
  const decisions = decisionsAmong(notes);
  if (decisions.length <= maxDecisions && utf8(JSON.stringify(decisions)).length <= maxDecisionBytes) return;
  const most = `a session holds at most ${maxDecisions} decisions, ${maxDecisionBytes} bytes in total`;
  throw new RefusedEventError('text', `${most}; write this to an artifact, or omit \`kind\``);
}

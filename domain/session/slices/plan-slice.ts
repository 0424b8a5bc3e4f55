import { z } from 'zod';
import { utf8 } from '../../kernel';
import { recordsOf, type Session } from '../session';
import { RefusedEventError } from '../session-errors';
import { append, defineSlice, eventHandler } from '../slice';

const titleSchema = z.string().min(1).max(300);
const stepNoteSchema = z.string().min(1).max(1_000);
const statusSchema = z.enum(['pending', 'in_progress', 'done', 'failed']);
const maxSteps = 200;

/** A step of the plan. */
const planStepSchema = z.strictObject({
  id: z.string().regex(/^S\d{3,}$/, 'must be an id like S001'),
  title: titleSchema,
  status: statusSchema,
  note: stepNoteSchema.optional(),
});
export type PlanStep = Readonly<z.infer<typeof planStepSchema>>;

/**
 * Value of the event `planStepsAdded`. Writers don't choose ids, because agents that plan concurrently would choose the
 * same.
 */
const planStepsAddedSchema = z.strictObject({
  steps: z.array(z.strictObject({ title: titleSchema, note: stepNoteSchema.optional() })).min(1),
});

/** Value of the event `planStepChanged`. Omitted fields stay unchanged. */
const planStepChangedSchema = z
  .strictObject({
    id: planStepSchema.shape.id,
    title: titleSchema.optional(),
    status: statusSchema.optional(),
    note: stepNoteSchema.optional(),
  })
  .refine(({ title, status, note }) => (title ?? status ?? note) !== undefined, 'no change given');
type PlanStepChanged = Readonly<z.infer<typeof planStepChangedSchema>>;

/** The plan that all agents of the session share. */
export const planSlice = defineSlice({
  name: 'plan',
  record: planStepSchema,
  conflict: 'lastWrite',
  on: {
    planStepsAdded: eventHandler(planStepsAddedSchema, (steps: readonly PlanStep[], added) => {
      if (steps.length + added.steps.length > maxSteps) {
        throw new RefusedEventError('steps', `a plan has at most ${maxSteps} steps`);
      }
      const fresh = added.steps.map((step, index) => ({
        id: stepId(steps.length + index + 1),
        status: 'pending' as const,
        ...step,
      }));
      return [...steps, ...fresh];
    }),
    planStepChanged: eventHandler(planStepChangedSchema, (steps: readonly PlanStep[], change) => {
      if (!steps.some(({ id }) => id === change.id)) {
        const known =
          steps.length === 0 ? 'the plan is empty' : `existing steps: ${steps.map(({ id }) => id).join(', ')}`;
        throw new RefusedEventError('id', `no step ${change.id}; ${known}`);
      }
      return steps.map((step) => (step.id === change.id ? changed(step, change) : step));
    }),
  },
  summarize: (steps) => [
    `Plan: ${steps.filter(({ status }) => status === 'done').length} of ${steps.length} done`,
    ...steps.map(({ id, title, status, note }) => {
      return `- ${id} [${status}] ${title}${note === undefined ? '' : ` (${note})`}`;
    }),
  ],
});

function changed(step: PlanStep, { title, status, note }: PlanStepChanged): PlanStep {
  const kept = note ?? step.note;
  return {
    id: step.id,
    title: title ?? step.title,
    status: status ?? step.status,
    ...(kept === undefined ? {} : { note: kept }),
  };
}

/** Formats a step id. Steps are never removed, so the number of a step is its position. */
function stepId(number: number): string {
  return `S${String(number).padStart(3, '0')}`;
}

/** Returns the plan step with this id; undefined when it does not exist. */
export function planStep(session: Pick<Session, 'slices'>, id: string): PlanStep | undefined {
  return recordsOf(session, planSlice).find((step) => step.id === id);
}

const shownNotes = 5;
/** Maximum decisions of a session. Every handoff repeats all decisions, and its size is limited. */
const maxDecisions = 100;
/** Maximum bytes of the texts of all decisions, as a JSON array. */
const maxDecisionBytes = 12 * 1024;

/** A short text to remember. Longer texts belong in artifacts. */
export const noteSchema = z.strictObject({
  text: z.string().min(1).max(1_000),
  by: z.string().min(1).max(200),
  /** Decisions are repeated word for word in every handoff. */
  kind: z.literal('decision').optional(),
});
type Note = Readonly<z.infer<typeof noteSchema>>;

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

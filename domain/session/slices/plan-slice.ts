import { z } from 'zod';
import { RefusedEventError } from '../session-errors';
import { recordsOf, type Session } from '../session';
import { defineSlice, eventHandler } from '../slice';

const titleSchema = z.string().min(1).max(300);
const noteSchema = z.string().min(1).max(1_000);
const statusSchema = z.enum(['pending', 'in_progress', 'done', 'failed']);
const maxSteps = 200;

/** A step of the plan. */
export const planStepSchema = z.strictObject({
  id: z.string().regex(/^S\d{3,}$/, 'must be an id like S001'),
  title: titleSchema,
  status: statusSchema,
  note: noteSchema.optional(),
});
export type PlanStep = Readonly<z.infer<typeof planStepSchema>>;

/**
 * Value of the event `planStepsAdded`. Writers don't choose ids, because agents that plan concurrently would choose the
 * same.
 */
export const planStepsAddedSchema = z.strictObject({
  steps: z.array(z.strictObject({ title: titleSchema, note: noteSchema.optional() })).min(1),
});
export type PlanStepsAdded = Readonly<z.infer<typeof planStepsAddedSchema>>;

/** Value of the event `planStepChanged`. Omitted fields stay unchanged. */
export const planStepChangedSchema = z
  .strictObject({
    id: planStepSchema.shape.id,
    title: titleSchema.optional(),
    status: statusSchema.optional(),
    note: noteSchema.optional(),
  })
  .refine(({ title, status, note }) => (title ?? status ?? note) !== undefined, 'no change given');
export type PlanStepChanged = Readonly<z.infer<typeof planStepChangedSchema>>;

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

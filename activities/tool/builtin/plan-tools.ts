import { z } from 'zod';
import { builtInToolNames } from '../../../domain/tool';
import { defineTool } from '../define-tool';

/** Records a note in the session. */
export const addNoteTool = defineTool({
  name: builtInToolNames.addNote,
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

/** Appends steps to the agent's plan. */
export const addPlanStepsTool = defineTool({
  name: builtInToolNames.addPlanSteps,
  id: 'baton/add_plan_steps@1',
  description:
    'Appends steps to your plan. Make a plan before work that takes more than a few turns. Each step should produce one result that can be checked. Steps are numbered S001, S002, and so on.',
  parameters: z.strictObject({
    steps: z.array(z.string().min(1).max(300)).min(1).max(50).describe('What to do, one short sentence per step'),
  }),
  success: 'The steps are in the plan with status pending.',
  cost: 'Free.',
  safeToRepeat: true,

  run({ steps }) {
    const added = steps.map((title) => ({ title }));
    return Promise.resolve({
      message: `Added ${steps.length === 1 ? 'one step' : `${steps.length} steps`} to the plan.`,
      events: [{ type: 'planStepsAdded', value: { steps: added } }],
    });
  },
});

/** Updates the status of a plan step. */
export const updatePlanStepTool = defineTool({
  name: builtInToolNames.updatePlanStep,
  id: 'baton/update_plan_step@1',
  description:
    'Updates the status of a plan step. Set in_progress when you start it, and done only when its result exists. Use the note to say what the result is, or why the step failed.',
  parameters: z.strictObject({
    id: z
      .string()
      .regex(/^S\d{3,}$/, 'must be an id like S001')
      .describe('Id of the step, such as S001'),
    status: z.enum(['pending', 'in_progress', 'done', 'failed']),
    note: z.string().min(1).max(1_000).optional().describe('The result, or why the step failed, in one sentence'),
  }),
  success: 'The step has the new status.',
  cost: 'Free.',
  safeToRepeat: true,

  run({ id, status, note }) {
    const value = { id, status, ...(note === undefined ? {} : { note }) };
    return Promise.resolve({ message: `Step ${id} is ${status}.`, events: [{ type: 'planStepChanged', value }] });
  },
});

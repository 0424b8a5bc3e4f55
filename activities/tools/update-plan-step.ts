import { z } from 'zod';
import { defineTool } from './tool';

/** Updates the status of a plan step. */
export const updatePlanStepTool = defineTool({
  name: 'update_plan_step',
  id: 'baton/update_plan_step@1',
  description:
    'Records how a step of your plan stands. Mark a step in_progress when you begin it, and done only when its result is there; say in the note what came out of it, or why it failed.',
  parameters: z.strictObject({
    id: z
      .string()
      .regex(/^S\d{3,}$/, 'must be an id like S001')
      .describe('Id of the step, such as S001'),
    status: z.enum(['pending', 'in_progress', 'done', 'failed']),
    note: z.string().min(1).max(1_000).optional().describe('What came out of it, in a sentence'),
  }),
  success: 'The step has the new status.',
  cost: 'Free.',
  safeToRepeat: true,

  run({ id, status, note }) {
    const value = { id, status, ...(note === undefined ? {} : { note }) };
    return Promise.resolve({ message: `Step ${id} is ${status}.`, events: [{ type: 'planStepChanged', value }] });
  },
});

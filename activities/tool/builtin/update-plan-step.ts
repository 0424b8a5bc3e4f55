import { z } from 'zod';
import { defineTool } from '../define-tool';

/** Updates the status of a plan step. */
export const updatePlanStepTool = defineTool({
  name: 'update_plan_step',
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

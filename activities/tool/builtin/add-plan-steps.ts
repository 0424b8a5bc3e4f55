import { z } from 'zod';
import { defineTool } from '../define-tool';

/** Appends steps to the agent's plan. */
export const addPlanStepsTool = defineTool({
  name: 'add_plan_steps',
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

import { defineTool, ToolError } from '../../worker'; // in your own project: 'baton-agents/worker'
import { riskSchema } from './risk';

/** A tool that emits an event. The slice in the workflow defines how the event changes the session. */
export const reportRiskTool = defineTool({
  name: 'report_risk',
  id: 'example/report_risk@1',
  description:
    'Records a project risk. Report each risk once, under a short id; reporting the same id again updates it.',
  parameters: riskSchema,
  success: 'The risk is recorded. You and the agents you delegate to from now on can see it.',
  cost: 'Free.',
  safeToRepeat: true,
  reads: ['risks'],

  run(risk, { slices }) {
    if (!/^R\d+$/.test(risk.id)) throw new ToolError(`"${risk.id}" is not a valid risk id. Use R1, R2 and so on.`);
    const known = slices['risks']?.length ?? 0;
    const message = `Recorded ${risk.id}. Risks known before: ${known}.`;
    return Promise.resolve({ message, events: [{ type: 'riskFound', value: risk }] });
  },
});

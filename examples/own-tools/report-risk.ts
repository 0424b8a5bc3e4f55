import { defineTool, ToolError } from '../../worker'; // in a project of your own: 'baton/worker'
import { riskSchema } from './risk';

/** Reports an event; what it does to the session is said by the slice, in the workflow. */
export const reportRiskTool = defineTool({
  name: 'report_risk',
  id: 'example/report_risk@1',
  description: 'Keeps a risk of the project. Report each risk once, under a short id; the same id again corrects it.',
  parameters: riskSchema,
  success: 'The risk is known to you and to everyone you delegate to from now on.',
  cost: 'Free.',
  safeToRepeat: true,
  reads: ['risks'],

  run(risk, { slices }) {
    if (!/^R\d+$/.test(risk.id)) throw new ToolError(`"${risk.id}" is no id of a risk. Use R1, R2 and so on.`);
    const known = slices['risks']?.length ?? 0;
    const message = `Kept ${risk.id}. Known before: ${known}.`;
    return Promise.resolve({ message, events: [{ type: 'riskFound', value: risk }] });
  },
});

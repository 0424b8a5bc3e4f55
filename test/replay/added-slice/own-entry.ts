import { createWorkflows } from '../../../workflows/extend';
import { timingSlice } from './timing-slice';

export const { runWorkflow, delegationWorkflow, sessionWorkflow, relayWorkflow, textsWorkflow } = createWorkflows({
  slices: [timingSlice],
});

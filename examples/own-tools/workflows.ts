import { createWorkflows } from '../../workflows/extend';
import { risksSlice } from './risks';

// Exports all of Baton's workflows under their own names, because a run starts delegations, and a batch starts a
// session.
export const { runWorkflow, delegationWorkflow, sessionWorkflow, relayWorkflow, textsWorkflow } = createWorkflows({
  slices: [risksSlice],
});

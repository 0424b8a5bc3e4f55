import { createWorkflows } from '../../workflows/extend';
import { risksSlice } from './risks';

// All of them, under their own names: runs start delegations, and batches of delegations a session.
export const { runWorkflow, delegationWorkflow, sessionWorkflow, relayWorkflow } = createWorkflows({
  slices: [risksSlice],
});

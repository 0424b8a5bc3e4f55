import { createWorkflows } from './create-workflows';

/** Baton's workflows with the built-in slices: the default entry of a worker. */
export const { runWorkflow, delegationWorkflow, sessionWorkflow, relayWorkflow, textsWorkflow } = createWorkflows();

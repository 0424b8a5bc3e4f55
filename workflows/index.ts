import { createWorkflows } from './create-workflows';

export const { runWorkflow, delegationWorkflow, sessionWorkflow, relayWorkflow } = createWorkflows();

import { sleep } from '@temporalio/workflow';
import type { RunWorkflow } from '../../../workflows/agent/run-workflow';
import * as workflows from '../../../workflows';

// The workflows of a careless release: a root begins with a timer, so that no run in flight can be replayed.

export const { delegationWorkflow, sessionWorkflow, relayWorkflow } = workflows;

export const runWorkflow: RunWorkflow = async (start) => {
  await sleep(1);
  return workflows.runWorkflow(start);
};

/** Workflow id of a run's root agent. Ids are slash paths, so that a sorted list of workflows reads as a tree. */
export function runWorkflowId(runId: string): string {
  return `run/${runId}`;
}

/** Returns the id of the run that a workflow belongs to; undefined when the workflow id is not one of Baton's. */
export function runIdOf(workflowId: string): string | undefined {
  return /^run\/([^/]+)/.exec(workflowId)?.[1];
}

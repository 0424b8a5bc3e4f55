/** Ids are slash paths, so that a list of workflows reads as a tree. */
export function runWorkflowId(runId: string): string {
  return `run/${runId}`;
}

export function runIdOf(workflowId: string): string | undefined {
  return /^run\/([^/]+)/.exec(workflowId)?.[1];
}

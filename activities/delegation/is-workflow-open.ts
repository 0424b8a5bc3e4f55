import { type Client, WorkflowNotFoundError } from '@temporalio/client';

/** Whether the latest execution of a workflow is open. One that the server no longer has is not. */
export async function isWorkflowOpen(
  { client }: { readonly client: Client },
  { workflowId }: { readonly workflowId: string },
): Promise<boolean> {
  try {
    const { status } = await client.workflow.getHandle(workflowId).describe();
    return status.name === 'RUNNING';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

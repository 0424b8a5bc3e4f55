import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { parseRetryReason, type Retry } from '../../domain/operator';

/**
 * Reads from the history of the calling execution why it was reset. The reset is one of the last events, so the history is
 * read backwards.
 */
export async function findRetry({ client }: { readonly client: Client }): Promise<{ retry: Retry | null }> {
  const { workflowId, runId } = Context.current().info.workflowExecution ?? {};
  let nextPageToken: Uint8Array | undefined;
  do {
    const page = await client.workflowService.getWorkflowExecutionHistoryReverse({
      namespace: client.options.namespace,
      execution: { workflowId: workflowId ?? '', runId: runId ?? '' },
      maximumPageSize: 100,
      ...(nextPageToken === undefined ? {} : { nextPageToken }),
    });
    // Only the reset that created this execution names it. Earlier ones were copied with the events before it.
    const reset = page.history?.events?.find((event) => event.workflowTaskFailedEventAttributes?.newRunId === runId);
    const reason = reset?.workflowTaskFailedEventAttributes?.failure?.message;
    if (reason != null) return { retry: parseRetryReason(reason) ?? null };
    nextPageToken = page.nextPageToken;
  } while (nextPageToken.length > 0);
  return { retry: null };
}

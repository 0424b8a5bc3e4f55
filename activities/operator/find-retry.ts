import { Context } from '@temporalio/activity';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { type FoundRetry, parseRetryReason } from '../../domain/operator';

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** Reads from the history of the calling execution why it was reset, and looks up how a delegation ended. */
export async function findRetry(
  { client }: { readonly client: Client },
  { delegation }: { readonly delegation: string | null },
): Promise<FoundRetry> {
  const { workflowExecution, activityId } = Context.current().info;
  const hasFailed = delegation !== null && (await hasEndedWithoutResult(client, delegation));
  const execution = { workflowId: workflowExecution?.workflowId ?? '', runId: workflowExecution?.runId ?? '' };
  let tasks = 0;
  let isBeforeQuestion = false;
  for await (const event of backwards(client, execution)) {
    if (event.activityTaskScheduledEventAttributes?.activityId === activityId) isBeforeQuestion = true;
    if (isBeforeQuestion && event.workflowTaskCompletedEventAttributes) tasks += 1;
    // Only the reset that created this execution names it. Earlier ones were copied with the events before it.
    const reset = event.workflowTaskFailedEventAttributes;
    if (reset?.newRunId !== execution.runId) continue;
    const retry = parseRetryReason(reset.failure?.message ?? '') ?? null;
    return { retry, isHere: retry !== null && tasks === 1, hasFailed };
  }
  return { retry: null, isHere: false, hasFailed };
}

/** Yields the events of an execution, newest first: a reset is usually among the last ones. */
async function* backwards(
  client: Client,
  execution: { readonly workflowId: string; readonly runId: string },
): AsyncGenerator<HistoryEvent> {
  // An execution that was never reset has its first run id.
  const { raw } = await client.workflow.getHandle(execution.workflowId, execution.runId).describe();
  if (raw.workflowExecutionInfo?.firstRunId === execution.runId) return;
  let nextPageToken: Uint8Array | undefined;
  do {
    const page = await client.workflowService.getWorkflowExecutionHistoryReverse({
      namespace: client.options.namespace,
      execution,
      maximumPageSize: 100,
      ...(nextPageToken === undefined ? {} : { nextPageToken }),
    });
    yield* page.history?.events ?? [];
    nextPageToken = page.nextPageToken;
  } while (nextPageToken.length > 0);
}

async function hasEndedWithoutResult(client: Client, workflowId: string): Promise<boolean> {
  try {
    const { status } = await client.workflow.getHandle(workflowId).describe();
    return status.name !== 'RUNNING' && status.name !== 'COMPLETED';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return true;
    throw error;
  }
}

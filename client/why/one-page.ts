import { isGrpcServiceError, ServiceError, type Client } from '@temporalio/client';

/** An execution in a page of the server's list. Times are milliseconds since 1970. */
export interface Listed {
  readonly workflowId: string;
  readonly startedAt: number;
  readonly closedAt: number;
}

const pageSize = 200;

/**
 * Reads one page of the list, which is enough to find a cause. Returns nothing if the server can't answer the query.
 */
export async function onePage(client: Client, query: string): Promise<readonly Listed[]> {
  try {
    const { executions } = await client.workflowService.listWorkflowExecutions({
      namespace: client.options.namespace,
      query,
      pageSize,
    });
    return executions.map(({ execution, startTime, closeTime }) => ({
      workflowId: execution?.workflowId ?? '',
      startedAt: millisecondsOf(startTime),
      closedAt: millisecondsOf(closeTime),
    }));
  } catch (error) {
    if (error instanceof ServiceError || isGrpcServiceError(error)) return [];
    throw error;
  }
}

interface Timestamp {
  readonly seconds?: number | { toString(): string } | null;
  readonly nanos?: number | null;
}

/** Converts a timestamp to milliseconds since 1970; 0 if it is missing. */
export function millisecondsOf(time: Timestamp | null | undefined): number {
  return Number(String(time?.seconds ?? 0)) * 1_000 + Math.floor((time?.nanos ?? 0) / 1_000_000);
}

import { type Client, isGrpcServiceError, ServiceError } from '@temporalio/client';
import { type FallbackRecord, formatFallback } from '../../domain/model';

/** The origin of a failure or a wait, and what to do about it. */
export interface Diagnosis {
  /** State of the agent that was asked about. */
  readonly verdict: 'failed' | 'waiting' | 'running' | 'completed' | 'cancelled';
  /** Workflow ids from the agent that was asked about down to the agent in which the failure or the wait began. */
  readonly path: readonly string[];
  /** Failure type; null when nothing has failed. */
  readonly type: string | null;
  readonly message: string;
  readonly remedy: string | null;
  /** Commands that help, ready to copy. */
  readonly commands: readonly string[];
  /** Other facts, one sentence each. */
  readonly remarks: readonly string[];
}

/** Creates a diagnosis with defaults for omitted fields. */
export function diagnosis(why: Pick<Diagnosis, 'verdict' | 'path' | 'message'> & Partial<Diagnosis>): Diagnosis {
  return { type: null, remedy: null, commands: [], remarks: [], ...why };
}

/** Adds facts to a diagnosis. */
export function withRemarks(why: Diagnosis, remarks: readonly string[]): Diagnosis {
  return { ...why, remarks: [...remarks, ...why.remarks] };
}

/** Describes models that another one replaced, one sentence each. */
export function fallbackRemarks(fallbacks: readonly FallbackRecord[] = []): readonly string[] {
  return fallbacks.map((fallback) => `Another model is in use since ${formatFallback(fallback)}.`);
}

/** Returns the workflow ids from one agent to another below it, which follow from the ids alone. */
export function pathBetween(from: string, to: string): readonly string[] {
  const rest = to.slice(from.length).split('/').slice(1);
  return [from, ...rest.map((_, index) => [from, ...rest.slice(0, index + 1)].join('/'))];
}

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

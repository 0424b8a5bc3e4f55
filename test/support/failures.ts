import { ApplicationFailure, WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';

/** Returns the failure that a workflow closed with; throws when it did not fail. */
export async function failureOf(handle: { result(): Promise<unknown> }): Promise<ApplicationFailure> {
  try {
    await handle.result();
  } catch (error) {
    if (error instanceof WorkflowFailedError && error.cause instanceof ApplicationFailure) return error.cause;
    throw error;
  }
  throw new Error('The workflow did not fail');
}

/** What an activity's last failed attempt reported. */
export interface FailedAttempt {
  readonly type: string;
  /** The delay that the activity requested for its retry. */
  readonly retryDelayMs: number;
}

/** Returns for each retried activity of an execution the failure that led to its last attempt. */
export async function failedAttemptsOf(handle: WorkflowHandle): Promise<FailedAttempt[]> {
  const { events } = await handle.fetchHistory();
  return (events ?? []).flatMap(({ activityTaskStartedEventAttributes: started }) => {
    const failure = started?.lastFailure;
    if (failure === undefined || failure === null) return [];
    const { type, nextRetryDelay: delay } = failure.applicationFailureInfo ?? {};
    return [{ type: type ?? 'none', retryDelayMs: Number(delay?.seconds ?? 0) * 1_000 + (delay?.nanos ?? 0) / 1e6 }];
  });
}

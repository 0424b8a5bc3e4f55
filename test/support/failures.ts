import { ApplicationFailure, WorkflowFailedError } from '@temporalio/client';

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

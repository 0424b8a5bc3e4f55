import { workflowInfo } from '@temporalio/workflow';
import { runWorkflowId } from '../domain/kernel';
import { failure } from './failures';

/**
 * Rejects a root whose workflow id does not name its run. Everything else finds a run by this id: for `baton gc`, the
 * data of such a run would belong to a run that has ended.
 */
export function requireRootId(runId: unknown): void {
  // An input without a run id is rejected when the run is opened.
  if (typeof runId === 'string') requireThat(workflowInfo().workflowId === runWorkflowId(runId), runWorkflowId(runId));
}

/** Rejects a delegation whose workflow id is not below that of its run, or does not end with the delegation's id. */
export function requireDelegationId(runId: string, delegationId: string): void {
  requireThat(isBelow(runId) && lastPart() === delegationId, `${runWorkflowId(runId)}/…/${delegationId}`);
}

/** Rejects the host of a shared session whose workflow id is not below that of its run. */
export function requireSessionId(runId: string): void {
  requireThat(isBelow(runId) && lastPart().startsWith('session-'), `${runWorkflowId(runId)}/…/session-<turn>`);
}

function isBelow(runId: string): boolean {
  return workflowInfo().workflowId.startsWith(`${runWorkflowId(runId)}/`);
}

function lastPart(): string {
  const { workflowId } = workflowInfo();
  return workflowId.slice(workflowId.lastIndexOf('/') + 1);
}

function requireThat(isExpected: boolean, expected: string): void {
  if (isExpected) return;
  throw failure(
    'Input.Invalid',
    `workflowId: it is "${workflowInfo().workflowId}", but this input belongs to "${expected}". ` +
      'Start the workflow with that id.',
  );
}

import { workflowInfo } from '@temporalio/workflow';
import { runIdOf, runWorkflowId } from '../domain/kernel';
import { failure } from './failures';

/**
 * Returns the id of the run that this root belongs to: that of the input, or else the one in the workflow id. Rejects a
 * root whose workflow id does not name its run. Everything else finds a run by this id: for `baton gc`, the data of such a
 * run would belong to a run that has ended.
 */
export function rootRunId(given: string | undefined): string {
  const { workflowId } = workflowInfo();
  const runId = given ?? runIdOf(workflowId);
  if (runId === undefined) {
    throw failure(
      'Input.Invalid',
      `workflowId: it is "${workflowId}", which does not name a run. Start the workflow with an id such as "${runWorkflowId('my-run')}".`,
    );
  }
  requireThat(workflowId === runWorkflowId(runId), runWorkflowId(runId));
  return runId;
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

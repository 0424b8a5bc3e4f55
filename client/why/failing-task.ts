import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { displayId, owningRunId } from '../../domain/kernel';
import {
  type FailingTask,
  findFailingTask,
  listFailingTasks,
  reportedProblemsQuery,
} from '../../temporal-config/node/failing-tasks';
import { descendantsQuery } from '../agent/find-agent';
import { plural } from '../format';
import { describeBuilds, readQueue } from './task-queues';
import { diagnosis, type Diagnosis, pathBetween } from './why';

/** Returns the failing task of an agent, or else one that the server reports below it. */
export async function failingIn(
  client: Client,
  description: WorkflowExecutionDescription,
): Promise<FailingTask | undefined> {
  const own = await findFailingTask(client, description);
  if (own !== undefined) return own;
  const query = `${descendantsQuery(description.workflowId)} AND ${reportedProblemsQuery}`;
  return (await listFailingTasks(client, query, 1))[0];
}

/** Whether a workflow is another one or below it, which follows from the ids alone. */
export function isWithin(workflowId: string, above: string): boolean {
  return workflowId === above || workflowId.startsWith(`${above}/`);
}

/** Says in a sentence that a task fails, beside another diagnosis. */
export function failsAsWell({ workflowId, attempt, message }: FailingTask): string {
  return `The workflow task of ${displayId(workflowId)} fails as well (attempt ${attempt}): ${message}.`;
}

/** Diagnoses a task that keeps failing. Agents that wait for an operator meanwhile are counted. */
export async function taskFails(client: Client, top: string, failing: FailingTask, parked = 0): Promise<Diagnosis> {
  const { workflowId, attempt, message, remedy } = failing;
  const waiting = `${plural(parked, 'agent')} below waiting for an operator: baton tree ${owningRunId(top)}`;
  return diagnosis({
    verdict: 'waiting',
    path: pathBetween(top, workflowId),
    type: 'WorkflowTaskFailed',
    message: `it makes no progress: its workflow task fails and is being retried (attempt ${attempt}): ${message}`,
    remedy,
    commands: ['baton doctor', `temporal workflow terminate --workflow-id ${workflowId}`],
    remarks: [...(await codeRemarks(client, failing)), ...(parked > 0 ? [waiting] : [])],
  });
}

/** Says that the workers have other workflow code than the one that last worked on a workflow, or than each other. */
async function codeRemarks(client: Client, { taskQueue, build }: FailingTask): Promise<readonly string[]> {
  const { builds } = await readQueue(client, taskQueue, 'workflow');
  const isOther = build !== null && builds.size > 0 && (builds.size > 1 || !builds.has(build));
  if (!isOther) return [];
  return [`It last worked with workflow code ${build}. On task queue "${taskQueue}": ${describeBuilds({ builds })}.`];
}

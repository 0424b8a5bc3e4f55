import { condition, isCancellation, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { AgentActivities } from '../activities/interface';
import type { AgentSettings } from '../domain/agent';
import { shortActivityOptions } from '../temporal-config/activity-options';
import { activityOptions, type Agent } from './agent/agent';
import { workflowNowMs } from './clock';
import { failure } from './failures';

// The server closes the children of an execution together with it, except for those that an execution started which was
// reset before: if the new execution is terminated, nobody closes them and nobody waits for them. They find out
// themselves, so that they do not continue to spend, or wait for ever.

/** Default of the setting `parentCheckMs`. */
const defaultParentCheckMs = 10 * 60 * 1_000;

/** Returns the time between two looks whether the parent is open. */
export function parentCheckMs(tuning: { readonly parentCheckMs?: number | undefined } | undefined): number {
  return tuning?.parentCheckMs ?? defaultParentCheckMs;
}

/** Whether this workflow's parent is open. True if it has none, and if the server can't be asked. */
export async function hasOpenParent(settings: Pick<AgentSettings, 'tuning'>): Promise<boolean> {
  const { parent } = workflowInfo();
  if (parent === undefined) return true;
  const { isWorkflowOpen } = proxyActivities<AgentActivities>(
    activityOptions(shortActivityOptions, settings, 'look whether the parent is open'),
  );
  try {
    return await isWorkflowOpen({ workflowId: parent.workflowId });
  } catch (error) {
    if (isCancellation(error)) throw error;
    return true;
  }
}

/** Whether it is time for a delegation to look whether its parent is open. Asked between two turns. */
export function mustCheckParent({ settings, parentSeenAt }: Agent): boolean {
  return workflowInfo().parent !== undefined && workflowNowMs() - parentSeenAt >= parentCheckMs(settings.tuning);
}

/** Fails a delegation whose parent has closed. */
export async function requireOpenParent(agent: Agent): Promise<void> {
  if (!(await hasOpenParent(agent.settings)))
    throw failure('Delegation.ParentClosed', 'The agent that delegated this has ended, so nobody needs the result.');
  agent.parentSeenAt = workflowNowMs();
}

/** Waits until the condition holds, however long that takes. A delegation whose parent has closed fails meanwhile. */
export async function whileParentIsOpen(agent: Agent, holds: () => boolean): Promise<void> {
  if (workflowInfo().parent === undefined) return condition(holds);
  while (!(await condition(holds, parentCheckMs(agent.settings.tuning)))) await requireOpenParent(agent);
}

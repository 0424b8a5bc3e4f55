import type { RunResult, StartRunOptions } from 'baton-agents';
import { executeChild, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { activities } from './activities.js';

const { loadOrder, saveDecision } = proxyActivities<typeof activities>({ startToCloseTimeout: '1 minute' });

/**
 * A workflow that this project had before. In the middle of it, an agent decides: it is a child workflow like any other, so
 * it is cancelled with its parent, and a crash of either continues where it was.
 */
export async function checkOrder(id: string, agentQueue: string): Promise<string> {
  const order = await loadOrder(id);
  const { answer } = await executeChild<(input: StartRunOptions) => Promise<RunResult>>('runWorkflow', {
    workflowId: `run/order-${id}-${workflowInfo().runId.slice(0, 8)}`,
    taskQueue: agentQueue,
    args: [
      { goal: `Is this order plausible? Answer "ship" or "ask", and why: ${order.text}`, limits: { maxTurns: 5 } },
    ],
  });
  // A long answer is in Baton's store, and here is its ref. An answer as short as this one is always inline.
  return saveDecision(order.id, 'text' in answer ? answer.text : 'ask');
}

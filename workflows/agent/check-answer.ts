import { proxyActivities } from '@temporalio/workflow';
import type { AgentActivities } from '../../activities/interface';
import type { ModelReply } from '../../domain/model/reply';
import { repairRequest } from '../../domain/agent/repair';
import type { BlobRef } from '../../domain/store/blob-ref';
import { shortActivityOptions } from '../../temporal-config/activity-options';
import { storeLocation, activityOptions, type Agent } from './agent';
import { failure } from '../failures';
import { withOperatorRetry } from '../operator/operator-retry';

/**
 * Checks an answer against the output format of the agent's skill. The first violation is sent to the model, which gets
 * another turn (returns undefined); a second one in a row is a failure.
 */
export async function validateAnswer(
  agent: Agent,
  format: BlobRef,
  reply: ModelReply,
): Promise<ModelReply | undefined> {
  const { checkAnswer } = proxyActivities<AgentActivities>(
    activityOptions(shortActivityOptions, agent.settings, 'check the answer'),
  );
  const checked = await withOperatorRetry(agent, { name: 'checking the answer' }, () =>
    checkAnswer({ ...storeLocation(agent), format, text: reply.text }),
  );
  if (checked.ok) {
    agent.progress = { ...agent.progress, repairing: false };
    return { ...reply, text: checked.text };
  }
  await askForRepair(agent, checked.violation);
  return undefined;
}

async function askForRepair(agent: Agent, violation: string): Promise<void> {
  let isSecond = agent.progress.repairing;
  await withOperatorRetry(agent, { name: 'final message' }, () => {
    if (!isSecond) return Promise.resolve();
    // An operator's retry gives the model one more turn.
    isSecond = false;
    return Promise.reject(failure('Output.Invalid', violation));
  });
  agent.progress = { ...agent.progress, repairing: true, notes: [repairRequest(violation)] };
}

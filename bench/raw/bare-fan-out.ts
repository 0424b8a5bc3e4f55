import { executeChild, proxyActivities, workflowInfo } from '@temporalio/workflow';
import { toolOptions } from '../../temporal-config/activity-options';
import { childrenPerWave, waves } from '../workloads';
import type { RawActivities } from './activities';

const { doNothing } = proxyActivities<RawActivities>(toolOptions);

/**
 * Runs as many activities and children in the same order, but all of them do nothing, to measure the cost of the server
 * and the SDK.
 */
export async function bareFanOut(): Promise<void> {
  await doNothing();
  for (let wave = 0; wave < waves; wave += 1) {
    await doNothing();
    await Promise.all(Array.from({ length: childrenPerWave }, (_, task) => delegate(`${wave}-${task}`)));
  }
  await doNothing();
}

async function delegate(task: string): Promise<void> {
  await doNothing();
  await executeChild(bareChild, { workflowId: `${workflowInfo().workflowId}/${task}` });
}

/** A child that does nothing. */
export async function bareChild(): Promise<void> {
  await doNothing();
  await doNothing();
  await doNothing();
}

import { executeChild, proxyActivities, workflowInfo } from '@temporalio/workflow';
import { callingModel, executingTool, preparing } from '../../temporal-config/activity-options';
import type { RawActivities } from './activities';

const { open, compose } = proxyActivities<RawActivities>(preparing);
const { askModel } = proxyActivities<RawActivities>(callingModel);
const { runTool } = proxyActivities<RawActivities>(executingTool);

/** What anyone would write by hand: ask, start children in waves, ask again. Nothing is kept, recorded or checked. */
export async function rawFanOut(waves: readonly number[]): Promise<string> {
  let said = await open();
  for (const [wave, children] of waves.entries()) {
    said = await askModel(`wave ${wave}: ${said}`);
    const tasks = Array.from({ length: children }, (_, task) => task);
    await Promise.all(tasks.map((task) => delegate(wave, task)));
  }
  return askModel(`all waves: ${said}`);
}

async function delegate(wave: number, task: number): Promise<string> {
  const prompt = await compose(task);
  const workflowId = `${workflowInfo().workflowId}/${wave}-${task}`;
  return executeChild(rawChild, { workflowId, args: [prompt] });
}

export async function rawChild(prompt: string): Promise<string> {
  const wanted = await askModel(prompt);
  return askModel(await runTool(wanted));
}

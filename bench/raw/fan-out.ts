import { executeChild, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { RawActivities } from './activities';
import { converseByHand } from './loop';
import { rawOptions } from './options';

const { open, compose, runTool } = proxyActivities<RawActivities>(rawOptions);

/**
 * The workflow as one would write it by hand: call the model, run a child for each tool call, call the model again.
 * Prompts and messages are passed by value; nothing is recorded, checked or deduplicated.
 */
export async function rawFanOut(goal: string): Promise<number> {
  const system = await open(goal);
  return converseByHand('Begin.', system, async (call) => {
    const prompt = await compose({ parent: system, input: call.input as object });
    const workflowId = `${workflowInfo().workflowId}/${call.id}`;
    return `Done: ${await executeChild(rawChild, { workflowId, args: [prompt] })}`;
  });
}

/** A hand-written child that runs its tool calls as activities. */
export function rawChild(system: string): Promise<number> {
  return converseByHand('Begin.', system, (call) => runTool(call.input as object));
}

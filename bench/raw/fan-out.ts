import { executeChild, proxyActivities, workflowInfo } from '@temporalio/workflow';
import { isToolCall, type Message, type ToolCallBlock } from '../../domain/model';
import { turnOptions, toolOptions, shortActivityOptions } from '../../temporal-config/activity-options';
import type { RawActivities } from './activities';

const { open, compose } = proxyActivities<RawActivities>(shortActivityOptions);
const { converse } = proxyActivities<RawActivities>(turnOptions);
const { runTool } = proxyActivities<RawActivities>(toolOptions);

/**
 * The workflow as one would write it by hand: call the model, run a child for each tool call, call the model again.
 * Prompts and messages are passed by value; nothing is recorded, checked or deduplicated.
 */
export async function rawFanOut(): Promise<number> {
  const system = await open();
  return loop(system, async (call) => {
    const prompt = await compose({ parent: system, input: call.input as object });
    const workflowId = `${workflowInfo().workflowId}/${call.id}`;
    return executeChild(rawChild, { workflowId, args: [prompt] });
  });
}

/** A hand-written child that runs its tool calls as activities. */
export function rawChild(system: string): Promise<number> {
  return loop(system, (call) => runTool(call.input as object));
}

/** Runs the agent loop and returns the number of turns. */
async function loop(system: string, answer: (call: ToolCallBlock) => Promise<unknown>): Promise<number> {
  const messages: Message[] = [{ role: 'user', content: [{ type: 'text', text: 'Begin.' }] }];
  for (let turns = 1; ; turns += 1) {
    const reply = await converse({ system, messages });
    const calls = reply.content.filter(isToolCall);
    if (calls.length === 0) return turns;
    const results = await Promise.all(
      calls.map(async (call) => ({
        type: 'toolResult' as const,
        callId: call.id,
        isError: false,
        text: `Done: ${String(await answer(call))}`,
      })),
    );
    messages.push(reply, { role: 'user', content: results });
  }
}

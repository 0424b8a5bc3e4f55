import { proxyActivities } from '@temporalio/workflow';
// Only types: a workflow loads all modules that it imports, and one written by hand would not load Baton's.
import type { ContentBlock, Message, ToolCallBlock } from '../../domain/model';
import type { RawActivities } from './activities';
import { rawOptions } from './options';

const { converse, takeTurn, runTool } = proxyActivities<RawActivities>(rawOptions);

function isToolCall(block: ContentBlock): block is ToolCallBlock {
  return block.type === 'toolCall';
}

function firstMessage(goal: string): Message {
  return { role: 'user', content: [{ type: 'text', text: goal }] };
}

/**
 * The agent loop as one would write it by hand: the conversation is workflow state and an argument of every model call.
 * Calls the model, does what it asks for, and calls it again until it answers. Returns the number of turns.
 */
export async function converseByHand(
  goal: string,
  system: string | undefined,
  answer: (call: ToolCallBlock) => Promise<string>,
): Promise<number> {
  const messages = [firstMessage(goal)];
  for (let turns = 1; ; turns += 1) {
    const reply = await converse({ ...(system === undefined ? {} : { system }), messages });
    const calls = reply.content.filter(isToolCall);
    if (calls.length === 0) return turns;
    const results = await Promise.all(
      calls.map(async (call) => {
        return { type: 'toolResult' as const, callId: call.id, isError: false, text: await answer(call) };
      }),
    );
    messages.push(reply, { role: 'user', content: results });
  }
}

/** One agent with a tool loop: two activities a turn. */
export function rawLoop(goal: string): Promise<number> {
  return converseByHand(goal, undefined, (call) => runTool(call.input as object));
}

/**
 * Like `rawLoop`, but with one activity a turn. A worker that dies after the model has replied pays for the reply twice.
 */
export async function rawLoopOfTurns(goal: string): Promise<number> {
  const messages = [firstMessage(goal)];
  for (let turns = 1; ; turns += 1) {
    const added = await takeTurn({ messages });
    if (added.length === 1) return turns;
    messages.push(...added);
  }
}

import { proxyActivities } from '@temporalio/workflow';
import { isToolCall, type Message, type ToolResultBlock } from '../../domain/model';
import { turnOptions, toolOptions } from '../../temporal-config/activity-options';
import type { RawActivities } from './activities';

const { converse } = proxyActivities<RawActivities>(turnOptions);
const { makeNoise } = proxyActivities<RawActivities>(toolOptions);

/** The usual approach: the conversation is workflow state and an argument of every model call. */
export async function rawByValue(turns: number): Promise<void> {
  const messages: Message[] = [{ role: 'user', content: [{ type: 'text', text: 'Begin.' }] }];
  for (let turn = 0; turn < turns; turn += 1) {
    const reply = await converse({ system: 'You make noise.', messages });
    const results: ToolResultBlock[] = [];
    for (const { id } of reply.content.filter(isToolCall)) {
      results.push({ type: 'toolResult', callId: id, isError: false, text: await makeNoise(turn) });
    }
    messages.push(reply, { role: 'user', content: results });
  }
}

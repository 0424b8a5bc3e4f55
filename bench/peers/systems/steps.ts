// The loop of an agent for systems that make any function durable: two steps per turn, the model's and the tool's.
import { Anthropic } from '@anthropic-ai/sdk';
import type { Place } from '../system';
import { makeNoise, type NoiseInput, noiseTool } from '../work';

/** Runs a function, and records its result under a name. */
type Step = <T>(name: string, work: () => Promise<T>) => Promise<T>;

type Agent = (goal: string, step: Step) => Promise<string>;

export function stepAgent({ model, folder }: Place): Agent {
  const client = new Anthropic({ apiKey: 'scripted', baseURL: model.messages });
  const { name, description, parameters } = noiseTool;
  const tools = [{ name, description, input_schema: parameters as unknown as Anthropic.Tool.InputSchema }];
  return async (goal, step) => {
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Begin.' }];
    for (;;) {
      const { content } = await step('model', () =>
        client.messages.create({ model: model.name, max_tokens: 1_000, system: goal, tools, messages }),
      );
      const call = content.find((block) => block.type === 'tool_use');
      if (call === undefined) return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
      const result = await step('tool', () => makeNoise(call.input as NoiseInput, folder));
      messages.push(
        { role: 'assistant', content },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: call.id, content: result }] },
      );
    }
  };
}
